import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../../support/source.js'
import type { SeenRequest } from './attacker.js'

const fixture = join(root, 'test/attacks/fixtures/foreign-pages.json')

/** Each row has the place and kind of request, the method, and headers that not every request of the browser has. */
export interface Recording {
  always: readonly string[]
  requests: readonly (readonly [name: string, method: string, ...headers: string[]])[]
}

/** Headers that don't identify the sender, that no server reads, or that differ in each run. */
const LEFT_OUT = new RegExp(
  `^(${[
    ...['host', 'content-length', 'sec-websocket-key', 'priority', 'range', 'pragma', 'cache-control', 'accept'],
    ...['accept-encoding', 'sec-ch-ua.*', 'sec-fetch-storage-access', 'upgrade-insecure-requests', 'ping-.*'],
    ...['referer', 'content-type', 'access-control-.*', 'sec-purpose', 'icy-metadata', 'connection: keep-alive'],
    ...['sec-websocket-(extensions|protocol)', 'last-event-id', 'service-worker', 'x-.*', 'purpose', 'if-.*', 'te'],
  ].join('|')})(:|$)`,
  'i',
)

/**
 * With RECORD_FOREIGN_PAGES set, saves a browser's requests in the fixture that the attacks without a browser send. Of
 * requests that look alike, the first is kept.
 */
export function record(browser: string, place: string, seen: readonly SeenRequest[]): void {
  if (!process.env['RECORD_FOREIGN_PAGES']) return
  const all = existsSync(fixture) ? (JSON.parse(readFileSync(fixture, 'utf8')) as Record<string, Recording>) : {}
  const { always, requests } = all[browser] ?? { always: [], requests: [] }
  const whole = requests.map(([name, method, ...headers]) => [name, method, ...always, ...headers] as const)
  const added = seen.map(
    ({ method, target, headers }) =>
      [
        `${place}: ${decodeURIComponent(target.split('?')[1] ?? '').replace(/&.*|=$/, '')}`,
        method,
        ...headers.filter((header) => !LEFT_OUT.test(header)).map(withoutChance),
      ] as const,
  )
  const kept = new Map([...added, ...whole].reverse().map((row) => [row.slice(1).sort().join('\n'), row]))
  all[browser] = compact([...kept.values()].reverse())
  mkdirSync(dirname(fixture), { recursive: true })
  writeFileSync(
    fixture,
    `${Object.entries(all)
      .map(
        ([name, recording]) => `${JSON.stringify(name)}: {
  "always": ${JSON.stringify(recording.always)},
  "requests": [
${recording.requests.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}
  ]
}`,
      )
      .join(',\n')
      .replace(/^/, '{\n')}\n}\n`,
  )
}

const withoutChance = (header: string): string =>
  header.replace(/boundary=.*/, 'boundary=x').replace(/(127\.0\.0\.1|localhost):\d+/g, '$1:PAGE')

function compact(rows: readonly (readonly [string, string, ...string[]])[]): Recording {
  const count = new Map<string, number>()
  for (const [, , ...headers] of rows) for (const header of headers) count.set(header, (count.get(header) ?? 0) + 1)
  const always = [...count]
    .filter(([header, times]) => times > rows.length * 0.9 && /^(user|accept)/i.test(header))
    .map(([header]) => header)
  return {
    always,
    requests: rows.map(
      ([name, method, ...headers]) => [name, method, ...headers.filter((header) => !always.includes(header))] as const,
    ),
  }
}
