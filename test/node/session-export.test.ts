import { createHash } from 'node:crypto'
import { JSDOM } from 'jsdom'
import { describe, expect, onTestFinished, test } from 'vitest'
import { inertJson } from '../../src/local/sidecar/dashboard-page.js'
import { startLocalSidecar } from '../../src/local/sidecar/local-sidecar.js'
import type { LocalSidecar } from '../../src/node.js'
import { readLine } from '../../src/platform/schema/recording.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startSidecar } from '../support/with-sidecar.js'
import { converse } from './support.js'

const call = (
  local: LocalSidecar,
  method: string,
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<Response> => fetch(local.url + path, { method, headers, ...(body === undefined ? {} : { body }) })
const read = async (local: LocalSidecar, path: string): Promise<unknown> => (await call(local, 'GET', path)).json()

const exported = async (local: LocalSidecar, query = ''): Promise<string> =>
  (await call(local, 'GET', `/_/api/export${query}`)).text()

describe('GET /_/api/log/SEQ', () => {
  test('gives an entry with its request, its answer and the reason', async () => {
    const local = await startSidecar()
    await call(local, 'PATCH', '/v1beta1/counters/rooms', '{"count":"11"}', { 'user-agent': 'Mozilla/5.0 x' })
    expect(await read(local, '/_/api/log/1')).toMatchObject({
      entry: { seq: 1, client: 'page#1', ms: expect.any(Number), reply: { status: 500 } },
      request: { method: 'PATCH', target: '/v1beta1/counters/rooms', body: '{"count":"11"}' },
      response: { status: 500, headers: { 'content-type': 'application/json' } },
      why: {
        rule: 'updateCounter is refused: out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10.',
      },
    })
  })

  test('answers 404 for a number without an entry, and for a text that is no number', async () => {
    const local = await startSidecar()
    for (const number of ['9', 'x', '']) {
      const response = await call(local, 'GET', `/_/api/log/${number}`)
      expect(await response.json()).toEqual({ code: 5, message: expect.stringContaining('no entry'), details: [] })
      expect(response.status).toBe(404)
    }
  })
})

test('the log names each program, and gives each nameless WebSocket its own name', async () => {
  const local = await startSidecar()
  for (const agent of ['node', 'curl/8', 'node', 'Mozilla/5.0 a', 'Mozilla/5.0 b']) {
    await call(local, 'POST', '/ready', '{}', { 'user-agent': agent })
  }
  for (let i = 0; i < 2; i += 1) await converse(`${local.url}/watch/gameserver`).frame(0)
  const names = local.sidecar.log.entries().flatMap(({ client }) => client ?? [])
  expect(names).toEqual(['node#1', 'curl#1', 'node#1', 'page#1', 'page#2', 'ws#1', 'ws#2'])
  expect(local.sidecar.snapshot().watchers.map(({ client }) => client)).toEqual(['ws#1', 'ws#2'])
})

describe('an export', () => {
  const linesOf = async (local: LocalSidecar, query = ''): Promise<ReturnType<typeof readLine>[]> =>
    (await exported(local, query)).trimEnd().split('\n').map(readLine)

  test('is a recording: header, first GameServer, entries, requests, and each GameServer that watches saw', async () => {
    const local = await startSidecar()
    const seen: unknown[] = []
    local.sidecar.watch({ onMessage: ({ gameServer }) => void seen.push(gameServer) })
    local.control({ type: 'setClock', speed: 0 })
    await call(local, 'POST', '/ready', '{}')
    local.control({ type: 'advanceClock', ms: 1_000 })
    local.control({ type: 'allocate' })
    const lines = await linesOf(local)
    expect(lines[0]).toMatchObject({ type: 'recording', version: 1, mode: 'production', seed: 1 })
    const shown = lines.flatMap((line) => (line.type === 'gameserver' ? [line.gameServer] : []))
    expect(shown).toEqual(JSON.parse(JSON.stringify(seen)))
    const entries = lines.flatMap((line) => (line.type === 'entry' ? [line.entry] : []))
    expect(entries).toEqual(JSON.parse(JSON.stringify(local.sidecar.log.entries())))
    expect(lines.filter(({ type }) => type === 'exchange')).toMatchObject([{ request: { target: '/ready' } }])

    const later = await linesOf(local, `?since=${entries.at(-2)!.seq}`)
    expect(later.map(({ type }) => type)).toEqual(['recording', 'gameserver', 'entry', 'gameserver'])
    expect(later[1]).toMatchObject({ gameServer: { status: { state: 'Ready' } } })
  })

  test('of a log that dropped its oldest entries shows the GameServers of the others as they were', async () => {
    const local = await startLocalSidecar({ mode: 'local' }, { logEntries: 10 })
    onTestFinished(() => local.close())
    for (let i = 1; i <= 30; i += 1) local.control({ type: 'setLabel', key: 'i', value: String(i) })
    const lines = await linesOf(local)
    const values = lines.flatMap((line) =>
      line.type === 'gameserver' ? [Number(line.gameServer.object_meta.labels!['i'])] : [],
    )
    expect(lines.filter(({ type }) => type === 'entry')).toHaveLength(10)
    expect(values).toEqual(Array.from({ length: values.length }, (_, i) => 31 - values.length + i))
    expect(values.length).toBeGreaterThanOrEqual(10)
  })

  test.each(['', '&format=html'])(
    'leaves out the redacted annotations, also those of refused calls, in each form (%j)',
    async (more) => {
      const local = await startSidecar()
      for (const body of [
        '{"key":"token","value":["hush-array"]}',
        '{"key":"token","value":{"a":"hush-object"}}',
        '{"key":"token","Value":"hush-name"}',
        '{"key":"token","value":"hush-twice","key":"other"}',
        '{"key":"other","value":"x"}{"key":"token","value":"hush-behind"}',
        '[{"key":"token","value":"hush-list"}]',
        '"hush-text"',
        '{"key":"TOKEN","value":"hush-case"}',
      ]) {
        await call(local, 'PUT', '/metadata/annotation', body)
      }
      local.control({ type: 'allocate', force: true, annotations: { 'x.dev/token': 'hush-allocated', other: 'told' } })
      await call(local, 'GET', '/gameserver')
      expect(await exported(local, `?${more}`)).toContain('hush-allocated')
      const good = '{"key":"token","value":"hush-place"}'
      await call(local, 'POST', '/metadata/annotation', good)
      await call(local, 'PUT', '/metadata/annotations', good)
      await call(local, 'PUT', '/metadata/anotation', good)
      await call(local, 'PUT', '/metadata/annotation/token/hush-path?value=hush-query', good)
      const reload = { type: 'reload', gameServer: { metadata: { annotations: { token: ['hush-reload'] } } } }
      await call(local, 'POST', '/_/api/commands', JSON.stringify(reload), { 'x-sidecar-control': '1' })
      await call(local, 'PUT', '/metadata/annotation', '{"key":"other","value":"told"}')
      await call(local, 'PUT', '/metadata/label', '{"key":"token","value":"told-label"}')
      const shut = await exported(local, `?redact=*token${more}`)
      expect(shut.match(/hush-\w+/g) ?? []).toEqual([])
      expect(shut).toContain('told-label')
      expect(shut).toMatch(/\\"value\\":\\"told\\"/)
    },
  )

  test('with a query that makes no sense is refused', async () => {
    const local = await startSidecar()
    for (const query of ['?format=xml', '?since=x', '?redact=']) {
      expect((await call(local, 'GET', `/_/api/export${query}`)).status, query).toBe(400)
    }
  })
})

type Line = Readonly<Record<string, unknown>> & { readonly type: string }

const linesIn = (text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

const hostile = [
  '</script><img src=x onerror=alert(1)>',
  '<!--<script>',
  '</SCRIPT\t>',
  '\u2028\u2029\ufeff',
  '\ud800',
  '\u0000\r\n',
  ']]>&lt;&#60;',
]

test.each(hostile)('%j in a session is shown as text in its page', (text) => {
  const json = inertJson({ [text]: text })
  expect(json).not.toMatch(/[<\n\r\0]/)
  expect(json).not.toMatch(/\p{Cs}/u)
  const { document } = new JSDOM(`<script type="application/x-ndjson">${json}</script><p>`).window
  expect(document.querySelectorAll('*')).toHaveLength(5)
  expect(JSON.parse(document.querySelector('script')!.text)).toEqual({ [text]: text })
})

test('a session as a page holds the lines of its recording, each entry with its reason, and the state at the end', async () => {
  const local = await startSidecar({ record: `${await temporaryFolder('report')}/secret-place.ndjson` })
  local.control({ type: 'setClock', speed: 0 })
  for (const text of hostile) local.control({ type: 'setLabel', key: text, value: text })
  await fetch(`${local.url}/v1beta1/counters/rooms`, { method: 'PATCH', body: '{"count":"11"}' })

  const page = await exported(local, '?format=html')
  expect(page).not.toContain('secret-place')
  const { document } = new JSDOM(page).window
  const told = linesIn(document.querySelector('#recording')!.textContent)
  const state = told.find(({ type }) => type === 'state')
  expect(state).toMatchObject({ state: { gameServer: local.sidecar.snapshot().gameServer } })
  const recording = told.filter(({ type }) => type !== 'state').map(({ why: _, ...line }) => line)
  expect(recording).toEqual(linesIn(await exported(local)))
  for (const line of told) if (line !== state) expect(() => readLine(JSON.stringify(line))).not.toThrow()

  const reasons = told.flatMap(({ type, why }) => (type === 'entry' ? [why] : []))
  const asked = await Promise.all(
    reasons.map(async (_, i) => ((await read(local, `/_/api/log/${i + 1}`)) as { why: object }).why),
  )
  expect(reasons.length).toBeGreaterThan(hostile.length)
  expect(reasons).toEqual(asked)
})

test('the page of a session has no script but its own, and a policy by which it loads nothing and connects to nobody', async () => {
  const local = await startSidecar()
  local.control({ type: 'setLabel', key: 'a', value: '</script><script>alert(1)</script>' })
  const response = await fetch(`${local.url}/_/api/export?format=html`)
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="match.html"')
  expect(response.headers.get('content-security-policy')).toBe('sandbox')
  const { document } = new JSDOM(await response.text()).window
  const scripts = [...document.querySelectorAll('script')]
  expect(scripts.map(({ type }) => type)).toEqual(['application/x-ndjson', ''])
  const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const meta = document.head.firstElementChild as HTMLMetaElement
  expect(meta.httpEquiv).toBe('Content-Security-Policy')
  expect(meta.content.split('; ')).toEqual([
    `default-src 'none'`,
    `script-src ${hashOf(scripts[1]!.text)}`,
    `style-src ${hashOf(document.querySelector('style')!.textContent)}`,
    'img-src data:',
    `base-uri 'none'`,
    `form-action 'none'`,
  ])
})
