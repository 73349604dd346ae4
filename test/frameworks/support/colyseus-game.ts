import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createLocalSidecar, type LocalSidecar, type LocalSidecarOptions } from '../../../src/node/index.js'
import { runtimeFile } from '../../hosts/support/runtimes.js'
import { calls } from '../../support/with-sidecar.js'
import { root } from '../../support/source.js'

export const folderOf = (version: string): string => join(root, `test/frameworks/colyseus-${version}`)

/** undefined where it isn't installed */
export const node22 = runtimeFile('node-22/bin/node')

/** What runs a version of the framework; undefined where it isn't installed. */
export function nodeOf(version: string): string | undefined {
  const node = version === '0.18' ? node22 : process.execPath
  return existsSync(join(folderOf(version), 'node_modules/@colyseus/core')) ? node : undefined
}

export const versions = ['0.16', '0.17', '0.18'].map((version) => ({ version, node: nodeOf(version) }))

type Line = Record<string, unknown>

interface TestContext {
  onTestFinished(run: () => unknown): void
}

export interface Game {
  readonly sidecar: LocalSidecar
  /** Everything that was told, oldest first. */
  readonly lines: readonly Line[]
  /** The first line with these fields, from `since` on, as soon as it is there. */
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

/** A GameServer with so many seats. */
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
  const lines: Line[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) return
    lines.push(JSON.parse(line) as Line)
    waiting.forEach((look) => look())
  })
  let complaints = ''
  child.stderr.on('data', (data: Buffer) => (complaints += data.toString()))
  const exit = once(child, 'exit').then(([code]) => code as unknown)

  const told = (fields: Line, since = 0): Promise<Line> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = lines.slice(since).find((line) => Object.keys(fields).every((key) => line[key] === fields[key]))
        if (!found) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
      void exit.then((code) =>
        reject(
          new Error(`Exit ${String(code)} without ${JSON.stringify(fields)}: ${JSON.stringify(lines)} ${complaints}`),
        ),
      )
    })

  return {
    sidecar,
    lines,
    told,
    command(command, given = {}) {
      const since = lines.length
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
