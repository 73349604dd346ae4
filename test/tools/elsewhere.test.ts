import { beforeEach, expect, test, vi } from 'vitest'
import { freePort } from '../support/free-port.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { run, startLocal } from './support.js'

beforeEach(async () => {
  vi.stubEnv('AGONES_SDK_HTTP_PORT', undefined)
  // Where sidecars announce themselves.
  vi.stubEnv('XDG_RUNTIME_DIR', await temporaryFolder('announced'))
  return () => vi.unstubAllEnvs()
})

const commands = [
  ['call', 'getGameServer'],
  ['call', 'ready'],
  ['watch', '--timeout', '10'],
  ['allocate', '--label', 'a=b'],
  ['doctor'],
]
test.each(commands)('%s %s at a wrong port names the sidecar that runs on this machine', async (...args) => {
  const { url } = await startLocal()
  const command = run(...args, '--url', `http://127.0.0.1:${await freePort()}`)
  const named = new RegExp(`On this machine there .* ${url.replaceAll('.', '\\.')} \\(local, Scheduled\\)`)
  await (args[0] === 'doctor' ? command.line(named) : command.errorLine(named))
  command.stop('SIGINT')
  expect((await command.finished).code).toBe({ doctor: 1, watch: 0 }[args[0]!] ?? 69)
})
