import { expect, onTestFinished, test } from 'vitest'
import { createEventLines } from '../../src/cli/event-lines.js'
import { createLineLog } from '../../src/local/http/refusal.js'
import { createLocalSidecar } from '../../src/node.js'
import { startGateway } from './support/targets.js'
import { ask, askAll } from '../support/wire.js'

/** Control sequences of terminals, line breaks, and characters that turn the reading direction. */
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

/** One short line of visible characters. */
const PLAIN = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,500}$/u

const bytes = (text: string): string => Buffer.from(text).toString('latin1')

test("the event lines of the local sidecar's command stay plain text, whatever a request contains", async () => {
  const local = await createLocalSidecar({ mode: 'local', onWarning: () => undefined })
  onTestFinished(() => local.close())
  const identity = (shown: string): string => shown
  const colors = new Proxy({}, { get: () => identity }) as Parameters<typeof createEventLines>[0]
  const toLines = createEventLines(colors, true)
  const lines: string[] = []
  onTestFinished(local.sidecar.log.subscribe((entry) => void lines.push(...toLines(entry))))
  const send = (line: string, body?: unknown, ...headers: readonly string[]) =>
    ask(local.port, line, ['Host: localhost', ...headers], body === undefined ? '' : bytes(JSON.stringify(body)))
  const command = (body: unknown) => send('POST /_/api/commands', body, 'X-Sidecar-Control: 1')

  for (const text of NASTY) {
    const name = encodeURIComponent(text).slice(0, 6_000)
    const before = lines.length
    await send('PUT /metadata/label', { key: text, value: text })
    await send('POST /reserve', { seconds: text })
    await send(`PATCH /v1beta1/counters/${name}`, { count: text })
    await send('POST /v1beta1/lists/players:addValue', { value: text })
    await send(`GET /v1beta1/lists/players?updateMask=${name}`)
    await send(`POST /${name}?${name}`, { [text]: text })
    await command({ type: 'setState', state: text })
    await command({ type: 'setLabel', key: text, value: text })
    await command({ type: 'setList', name: text, values: [text] })
    await askAll(local.port, bytes(`GET /${text} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`))
    expect(lines.length - before).toBeGreaterThan(5)
  }
  for (const line of lines) expect(line).toMatch(PLAIN)
})

test("the gateway's log stays plain text, whatever a request contains", async () => {
  const lines: string[] = []
  for (const text of NASTY) createLineLog((line) => lines.push(line))(text)
  const gateway = await startGateway()
  for (const text of NASTY) {
    const name = encodeURIComponent(text).slice(0, 6_000)
    const heads = [
      `GET /_/sidecar/${name} HTTP/1.1\r\nHost: localhost\r\nOrigin: null`,
      `GET /${text} HTTP/1.1\r\nHost: localhost`,
      `GET / HTTP/1.1\r\nHost: ${text}`,
      `GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: ${text}`,
      `${text} / HTTP/1.1\r\nHost: localhost`,
    ]
    for (const head of heads) await askAll(gateway.port, bytes(`${head}\r\nConnection: close\r\n\r\n`))
  }
  expect(gateway.lines.length).toBeGreaterThan(10)
  for (const line of [...lines, ...gateway.lines]) expect(line).toMatch(PLAIN)
})
