import { describe, expect, onTestFinished, test } from 'vitest'
import { createEventLines } from '../../src/cli/event-lines.js'
import { createLineLog } from '../../src/node/http/line-log.js'
import { createLocalSidecar } from '../../src/node/index.js'
import { startGateway } from './support/targets.js'
import { ask, askAll } from './support/wire.js'

/** What a terminal would obey, what would begin another line, and what turns the reading direction. */
const NASTY = [
  '\u001b[31mred\u001b[0m',
  '\u001b]0;title\u0007',
  'one\r\n12:00:00.000  shutdown',
  'one\rtwo',
  '\u0000\u0008\u007f',
  '\u009b31m',
  '\u202eright to left',
  '\u2028\u2029\u0085',
  '\ufeff\u200b',
  '%1b%5b31m%0d%0aGET',
  'x'.repeat(5_000),
]

/** One line of visible characters, short enough to be read. */
const PLAIN = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,500}$/u

const bytes = (text: string): string => Buffer.from(text).toString('latin1')

describe("the event lines of the local sidecar's command", () => {
  test.each(NASTY)('stay plain with %j in everything that a request can say', async (text) => {
    const local = await createLocalSidecar({ mode: 'local', onWarning: () => undefined })
    onTestFinished(() => local.close())
    const identity = (shown: string): string => shown
    const colors = new Proxy({}, { get: () => identity }) as Parameters<typeof createEventLines>[0]
    const toLines = createEventLines(colors, true)
    const lines: string[] = []
    onTestFinished(local.sidecar.log.subscribe((entry) => void lines.push(...toLines(entry))))
    const send = (line: string, body?: unknown, ...headers: readonly string[]) =>
      ask(local.port, line, ['Host: localhost', ...headers], body === undefined ? '' : bytes(JSON.stringify(body)))
    const name = encodeURIComponent(text).slice(0, 6_000)

    await send('PUT /metadata/label', { key: text, value: text })
    await send('PUT /metadata/annotation', { key: text, value: text })
    await send('POST /reserve', { seconds: text })
    await send(`GET /v1beta1/counters/${name}`)
    await send(`PATCH /v1beta1/counters/${name}`, { count: text })
    await send('POST /v1beta1/lists/players:addValue', { value: text })
    await send('PATCH /v1beta1/lists/players', { values: [text], capacity: '5' })
    await send(`GET /v1beta1/lists/players?updateMask=${name}`)
    await send(`GET /${name}`)
    await send(`POST /${name}?${name}`, { [text]: text })
    const control = 'X-Sidecar-Control: 1'
    await send('POST /_/api/commands', { type: 'setState', state: text }, control)
    await send('POST /_/api/commands', { type: 'setLabel', key: text, value: text }, control)
    await send('POST /_/api/commands', { type: 'setList', name: text, values: [text] }, control)
    await send('POST /_/api/commands', { type: text }, control)
    await askAll(local.port, bytes(`GET /${text} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`))

    expect(lines.length).toBeGreaterThan(8)
    for (const line of lines) expect(line).toMatch(PLAIN)
  })
})

describe("the gateway's log", () => {
  test.each(NASTY)('writes %j, wherever it came from, as one plain line', (text) => {
    const lines: string[] = []
    createLineLog((line) => lines.push(line))(text)
    expect(lines).toEqual([expect.stringMatching(PLAIN)])
  })

  test.each(NASTY)('stays plain with %j in everything that a request can say', async (text) => {
    const { port, lines } = await startGateway()
    const name = encodeURIComponent(text).slice(0, 6_000)
    for (const target of [`/_/sidecar/${name}`, `/${name}`, `/_/${name}`, `/_/sidecar/ready?${name}`]) {
      await ask(port, `POST ${target}`, ['Host: localhost', 'Origin: null'])
      await ask(port, `GET ${target}`, ['Host: localhost'])
    }
    const heads = [
      `GET /${text} HTTP/1.1\r\nHost: localhost`,
      `GET / HTTP/1.1\r\nHost: ${text}`,
      `GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: ${text}`,
      `${text} / HTTP/1.1\r\nHost: localhost`,
    ]
    for (const head of heads) await askAll(port, bytes(`${head}\r\nConnection: close\r\n\r\n`))
    expect(lines.length).toBeGreaterThan(4)
    for (const line of lines) expect(line).toMatch(PLAIN)
  })
})
