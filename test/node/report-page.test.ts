import { createHash } from 'node:crypto'
import { JSDOM } from 'jsdom'
import { expect, test } from 'vitest'
import type { LocalSidecar } from '../../src/node/index.js'
import { readLine } from '../../src/schema/recording.js'
import { inertJson } from '../../src/node/local/dashboard-page.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startSidecar } from '../support/with-sidecar.js'

const read = async (local: LocalSidecar, query: string): Promise<string> =>
  (await fetch(`${local.url}/_/api/export${query}`)).text()

type Line = Readonly<Record<string, unknown>> & { readonly type: string }

const linesOf = (text: string): Line[] =>
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

test.each(hostile)('%j in a session is data in its page', (text) => {
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

  const page = await read(local, '?format=html')
  expect(page).not.toContain('secret-place')
  const { document } = new JSDOM(page).window
  const told = linesOf(document.querySelector('#recording')!.textContent)
  const state = told.find(({ type }) => type === 'state')
  expect(state).toMatchObject({ state: { gameServer: local.sidecar.snapshot().gameServer } })
  const recording = told.filter(({ type }) => type !== 'state').map(({ why: _, ...line }) => line)
  expect(recording).toEqual(linesOf(await read(local, '')))
  for (const line of told) if (line !== state) expect(() => readLine(JSON.stringify(line))).not.toThrow()

  const reasons = told.flatMap(({ type, why }) => (type === 'entry' ? [why] : []))
  const asked = await Promise.all(
    reasons.map(async (_, i) => {
      const answer = await fetch(`${local.url}/_/api/log/${i + 1}`)
      return ((await answer.json()) as { why: object }).why
    }),
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
