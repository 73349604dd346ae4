import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { call, startLocal } from './support.js'

/** What somebody types, and the warning. The answer stays that of the real sidecar. */
const mistakes: readonly (readonly [method: string, path: string, body: object, warning: RegExp])[] = [
  [
    'PUT',
    '/metadata/annotation',
    { key: 'mode', 'value:': 'dm' },
    /"value:" in the body of setAnnotation; did you mean "value"\?$/,
  ],
  ['POST', '/reserve', { duration: '10s' }, /"duration" in the body of reserve; there are seconds\.$/],
  [
    'POST',
    '/v1beta1/lists/players:addValue',
    { values: ['bob'] },
    /"values" in the body of addListValue; did you mean "value"\?$/,
  ],
  ['POST', '/ready', { state: 'Ready' }, /"state" in the body of ready; it takes none\.$/],
]

test.each(mistakes)(
  '%s %s with %j is answered with 200, and a warning names the field',
  async (method, path, body, warning) => {
    const { url, line } = await startLocal('--mode', 'local')
    expect((await call(url, path, body, method)).status).toBe(200)
    expect((await line(/warning: .*The sidecar ignores the field/)).input).toMatch(warning)
    const { entries } = (await (await fetch(`${url}/_/api/log`)).json()) as { entries: { warnings: object[] }[] }
    expect(entries.flatMap(({ warnings }) => warnings)).toMatchObject([{ code: 'unknown-field' }])
  },
)

test('fields that the operation has, and the name beside the path, give no warning', async () => {
  const { url, line, stop, finished } = await startLocal('--mode', 'local')
  await call(url, '/v1beta1/lists/players:addValue', { name: 'players', value: 'bob' })
  await line(/addListValue players/)
  stop('SIGTERM')
  expect((await finished).out).not.toMatch(/warning/)
})

test.each(['', 'Content-Length: 0\r\n'])(
  'a health call without a body and with %j is no beat, and warned of',
  async (length) => {
    const { url, line } = await startLocal()
    const { port } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.end(`POST /health HTTP/1.1\r\nHost: localhost:${port}\r\n${length}\r\n`)
    await once(socket, 'data')
    await line(/warning: A health call without a body is no beat\. Send \{\} as the body\./)
  },
)
