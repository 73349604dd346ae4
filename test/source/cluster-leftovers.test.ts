import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../support/source.js'
import { bundleSource } from '../support/bundle-source.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** A process that makes a folder for tokens and stays. */
const MAKE = `
  import { writeFileSync } from 'node:fs'
  import { secretFolder } from ${JSON.stringify(join(root, 'test/cluster/support/leftovers.ts'))}
  const { path } = secretFolder()
  writeFileSync(path + '/token', 'secret')
  console.log(path)
  setInterval(() => {}, 60_000)`

async function startMaker(script: string, folder: string) {
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const [path] = await new Promise<[string]>((resolve) =>
    createInterface(child.stdout).once('line', (line: string) => resolve([line])),
  )
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    await exited
  }
  return { path, end }
}

test.skipIf(process.platform === 'win32')(
  'the tokens of a cluster run go with it at SIGTERM, and with the next run after SIGKILL',
  async () => {
    const folder = await temporaryFolder('leftovers')
    const script = join(folder, 'make.mjs')
    await bundleSource(MAKE, script)
    const told = await startMaker(script, folder)
    await told.end('SIGTERM')
    expect(existsSync(told.path)).toBe(false)

    const killed = await startMaker(script, folder)
    await killed.end('SIGKILL')
    expect(existsSync(join(killed.path, 'token'))).toBe(true)
    const next = await startMaker(script, folder)
    expect(existsSync(killed.path)).toBe(false)
    // A run that lives keeps its own.
    const beside = await startMaker(script, folder)
    expect(existsSync(next.path)).toBe(true)
    await Promise.all([next.end('SIGINT'), beside.end('SIGHUP')])
    expect(readdirSync(folder)).toEqual(['make.mjs'])
  },
)
