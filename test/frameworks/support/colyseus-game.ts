import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createLocalSidecar, type LocalSidecar, type LocalSidecarOptions } from '../../../src/node.js'
import { runtimeFile } from '../../hosts/support/runtimes.js'
import { createSeen } from '../../support/seen.js'
import { calls } from '../../support/with-sidecar.js'
import { root } from '../../support/source.js'

export const folderOf = (version: string): string => join(root, `test/frameworks/colyseus-${version}`)

/** undefined where it isn't installed */
export const node22 = runtimeFile('node-22/bin/node')

/** The Node that runs a version of the framework; undefined if it isn't installed. */
function nodeOf(version: string): string | undefined {
  const node = version === '0.18' ? node22 : process.execPath
  return existsSync(join(folderOf(version), 'node_modules/@colyseus/core')) ? node : undefined
}

export const versions = ['0.17', '0.18'].map((version) => ({ version, node: nodeOf(version) }))

type Line = Record<string, unknown>

interface TestContext {
  onTestFinished(run: () => unknown): void
}

export interface Game {
  readonly sidecar: LocalSidecar
  /** All lines of the game, oldest first. */
  readonly lines: readonly Line[]
  /** Resolves with the first line with these fields, from `since` on. */
  told(fields: Line, since?: number): Promise<Line>
  command(command: string, options?: Line): Promise<Line>
  /** The values of the list `players`. */
  seats(): readonly string[]
  state(): string
  /** The operations that reached the sidecar, without beats and reads. */
  writes(): string[]
  kill(signal: NodeJS.Signals): void
  readonly exit: Promise<unknown>
}

/** A GameServer with this many seats. */
export const withSeats = (capacity: number): LocalSidecarOptions['gameServer'] => ({
  spec: { lists: { players: { capacity, values: [] } } },
})

/** Starts a sidecar and, beside it, a game of that version of the framework. */
export async function startGame(
  { version, node }: { version: string; node: string | undefined },
  { onTestFinished }: TestContext,
  options: Line = {},
  gameServer: LocalSidecarOptions['gameServer'] = withSeats(2),
  prepare: (sidecar: LocalSidecar) => void = () => {},
): Promise<Game> {
  const sidecar = await createLocalSidecar({ port: 0, onWarning: () => {}, gameServer })
  onTestFinished(() => sidecar.close())
  prepare(sidecar)
  const child = spawn(
    node!,
    [join(root, 'test/frameworks/guest/colyseus-game.mjs'), folderOf(version), JSON.stringify(options)],
    {
      env: { ...process.env, AGONES_SDK_HTTP_PORT: new URL(sidecar.url).port },
      stdio: 'pipe',
    },
  )
  onTestFinished(() => child.kill('SIGKILL'))
  const lines = createSeen<Line>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('{')) lines.add(JSON.parse(line) as Line)
  })
  let complaints = ''
  child.stderr.on('data', (data: Buffer) => (complaints += data.toString()))
  const exit = once(child, 'exit').then(([code]) => {
    lines.end()
    return code as unknown
  })
  const told = (fields: Line, since = 0): Promise<Line> =>
    lines
      .find((line) => (Object.keys(fields).every((key) => line[key] === fields[key]) ? line : undefined), since)
      .catch((cause: unknown) => {
        throw new Error(`Exit without ${JSON.stringify(fields)}: ${complaints}`, { cause })
      })

  return {
    sidecar,
    lines: lines.all,
    told,
    command(command, given = {}) {
      const since = lines.all.length
      child.stdin.write(JSON.stringify({ command, ...given }) + '\n')
      return told({ answer: command }, since)
    },
    seats: () => sidecar.sidecar.snapshot().gameServer.status.lists?.['players']?.values ?? [],
    state: () => sidecar.sidecar.snapshot().gameServer.status.state,
    writes: () => calls(sidecar).filter((name) => !/^(health|getGameServer|watchGameServer)$/.test(name)),
    kill: (signal) => child.kill(signal),
    exit,
  }
}
