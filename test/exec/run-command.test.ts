import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../../src/local/game/run-command.js'
import { startSidecar } from '../support/with-sidecar.js'

test('a terminate during another is refused: no second SIGTERM, and SIGKILL keeps its time', async () => {
  const local = await startSidecar()
  const isReady = new Promise<void>((resolve) => {
    onTestFinished(local.sidecar.log.subscribe(({ event }) => event.type === 'call' && resolve()))
  })
  const program =
    'process.on("SIGTERM", () => process.stdout.write("")); setInterval(() => undefined, 1000); ' +
    `void fetch(${JSON.stringify(local.url)} + "/ready", { method: "POST", body: "{}" })`
  const said: string[] = []
  const ended = runCommand({
    ...{ command: [process.execPath, '-e', program], local, graceMs: 60_000, restarts: false },
    env: () => process.env,
    say: (text) => void said.push(text),
  })
  await isReady
  expect(local.control({ type: 'terminate', graceMs: 100 })).toEqual({ ok: true })
  expect(local.control({ type: 'terminate', graceMs: 0 }).ok).toBe(false)
  expect((await ended).exitCode).toBe(137)
  expect(said.filter((text) => text.includes('SIGTERM to'))).toHaveLength(1)
})

test('a command that is missing ends with 127, as in a shell', async () => {
  const said: string[] = []
  const { exitCode } = await runCommand({
    ...{ command: ['no-such-game'], local: await startSidecar(), graceMs: 1000, restarts: false },
    env: () => process.env,
    say: (text) => void said.push(text),
  })
  expect([exitCode, said]).toEqual([
    127,
    [expect.stringMatching(/^There is no command "no-such-game"; check its name/)],
  ])
})
