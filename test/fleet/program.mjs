/**
 * A game server for tests: thirty lines, without a package. BEHAVIOUR says what it does: `crash` at once, `silent` never
 * calls ready(), `stubborn` ignores SIGTERM, `parent` starts a process that would outlive it, `flood` writes 20 MB first.
 */
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { promisify } from 'node:util'

const { AGONES_SDK_HTTP_HOST: host, AGONES_SDK_HTTP_PORT: port, BEHAVIOUR: behaviour } = process.env
const { PORT, GAMESERVER_NAME, FLEET_NAME } = process.env

const call = async (path, method = 'POST', body = '{}') => {
  const answer = await fetch(`http://${host}:${port}${path}`, {
    method,
    body,
    headers: { 'content-type': 'application/json' },
  })
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
}

process.on('SIGTERM', () => {
  console.error('SIGTERM')
  if (behaviour !== 'stubborn') process.exit(0)
})
console.log(`${GAMESERVER_NAME} of ${FLEET_NAME} at ${PORT}`)
if (behaviour === 'crash') throw new Error('no level file')
if (behaviour === 'parent') {
  const options = { stdio: 'ignore', detached: process.platform === 'linux' }
  console.log(`child ${spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], options).pid}`)
}
if (behaviour === 'flood')
  await promisify((text, done) => process.stdout.write(text, done))(`${'flood'.repeat(200)}\n`.repeat(20_000))
// Players say `GET /exit?code`, or `GET /shutdown`.
createServer((request, reply) => {
  reply.end()
  const [, code] = /^\/exit\?(\d+)/.exec(request.url) ?? []
  if (code !== undefined) process.exit(Number(code))
  if (request.url === '/shutdown') void call('/shutdown')
}).listen(Number(PORT), '127.0.0.1', () => {
  if (behaviour === 'silent') return
  void call('/ready')
  setInterval(() => void call('/health').catch(() => undefined), 1000)
})
