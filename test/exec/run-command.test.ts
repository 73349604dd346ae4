import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../../src/local/game/run-command.js'
import type { LocalSidecar } from '../../src/node.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startSidecar } from '../support/with-sidecar.js'

/** Runs a Node program, and collects the messages for people. */
async function run(
  local: LocalSidecar,
  program: string,
  restarts = false,
): Promise<{ exitCode: number; said: string[] }> {
  const said: string[] = []
  const { exitCode } = await runCommand({
    command: [process.execPath, '-e', program],
    local,
    env: () => process.env,
    graceMs: 60_000,
    restarts,
    say: (text) => void said.push(text),
  })
  return { exitCode, said }
}

test('a terminate during another is refused: no second SIGTERM, and SIGKILL keeps its time', async () => {
  const local = await startSidecar()
  const isReady = new Promise<void>((resolve) => {
    onTestFinished(local.sidecar.log.subscribe(({ event }) => event.type === 'call' && resolve()))
  })
  const ended = run(
    local,
    'process.on("SIGTERM", () => process.stdout.write("")); setInterval(() => undefined, 1000); ' +
      `void fetch(${JSON.stringify(local.url)} + "/ready", { method: "POST", body: "{}" })`,
  )
  await isReady
  expect(local.control({ type: 'terminate', graceMs: 100 })).toEqual({ ok: true })
  expect(local.control({ type: 'terminate', graceMs: 0 }).ok).toBe(false)
  const { exitCode, said } = await ended
  expect(exitCode).toBe(137)
  expect(said.filter((text) => text.includes('SIGTERM to'))).toHaveLength(1)
})

test('a command that calls shutdown() and ends at once starts again, for a GameServer after one that is Shutdown', async () => {
  const local = await startSidecar()
  const once = join(await temporaryFolder('exec'), 'once')
  // The second run exits like a game that crashes.
  const program = `
    try { require('node:fs').mkdirSync(${JSON.stringify(once)}) } catch { process.exit(4) }
    fetch(${JSON.stringify(local.url)} + '/shutdown', { method: 'POST', body: '{}' }).then(() => process.exit(0))`
  const { exitCode, said } = await run(local, program, true)
  expect(exitCode).toBe(4)
  expect(said[0]).toMatch(/ended with exit code 0; GameServer local is Shutdown/)
  expect(said[1]).toContain('starts again for')
  expect(said[2]).toMatch(/ended with exit code 4; GameServer \S+ is Unhealthy/)
})
