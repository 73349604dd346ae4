import { expect, test } from 'vitest'
import { createClient, type ClientOptions, type SidecarClient, type SidecarError } from '../../src/index.js'
import { createClient as createNodeClient } from '../../src/index.node.js'
import { answering, blackHole } from '../support/fault-server-steps.js'
import type { Rule } from '../support/fault-server.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { connectClient } from '../support/with-sidecar.js'
import { answeringWell, calls, page, refusal, waits, writes, type Call } from './operations.js'
import { searching } from './told-answers.js'
import { misspeltNames, misspeltOptions, wrongArguments, wrongOptions } from './wrong-input.js'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { bundleSource } from '../support/bundle-source.js'
import { freePort } from '../support/free-port.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const longest = 120
const baseUrl = 'http://127.0.0.1:1'

/** What is wrong with a message that must be one sentence, on one line; its hint comes after it. */
function faultsOf({ message, hint }: SidecarError): string[] {
  const said = hint && message.endsWith(hint) ? message.slice(0, -hint.length).trimEnd() : message
  if (said.includes('\n')) return [`several lines: ${said}`]
  return said.length > longest ? [`${said.length} characters: ${said}`] : []
}

const errorOf = (run: () => unknown): Promise<SidecarError> =>
  (async () => run())().then(
    () => expect.fail('nothing was wrong'),
    (error: unknown) => error as SidecarError,
  )

const every = (client: SidecarClient, which: (readonly [string, Call])[] = [...calls], options = {}) =>
  Promise.all(which.map(([, call]) => errorOf(() => call(client, options))))

const beside = async (rules: Rule[], options: ClientOptions = {}): Promise<SidecarClient> =>
  connectClient(await startScripted(rules), { retry: false, ...options })

const refusals: [number, string][] = [
  [400, 'invalid label key'],
  [403, 'no'],
  [500, 'list not found: players'],
  [500, 'not found. Value: q not found in List: rooms'],
  [500, 'out of range. Count must be within range [0,Capacity]. Found Count: -1, Capacity: 10'],
  [500, 'CountsAndLists not enabled'],
  [503, 'gone'],
]

/** The errors that users can provoke by their input, and those that come of what becomes of a sidecar. */
const provoke: [string, () => Promise<SidecarError[]>][] = [
  [
    'wrong options',
    () => {
      const wrong = [...wrongOptions.map(([, options]) => options), ...misspeltOptions.map(([options]) => options)]
      const whole = wrong.map((options) => (typeof options === 'object' ? { baseUrl, ...options } : options))
      const makes = [createClient, createNodeClient]
      return Promise.all([...whole, {}].flatMap((given) => makes.map((make) => errorOf(() => make(given as never)))))
    },
  ],
  [
    'wrong arguments',
    () => {
      const client = createClient({ baseUrl })
      const attempts = [...wrongArguments.map(([, , , call]) => call), ...misspeltNames.map(([, , , call]) => call)]
      return Promise.all(attempts.map((call) => errorOf(() => call(client))))
    },
  ],
  [
    'a closed client',
    async () => {
      const client = await beside([])
      client.close()
      return every(client)
    },
  ],
  ['a refused connection', () => every(searching({ retry: false }).client)],
  ['the page of a proxy', async () => every(await beside([{ on: '*', step: answering(page) }]))],
  ...refusals.map(([status, message]): [string, () => Promise<SidecarError[]>] => [
    `${status} "${message}"`,
    async () => every(await beside([{ on: '*', step: answering({ status, body: refusal(message) }) }])),
  ]),
  ['answers that are too long', async () => every(await beside(answeringWell(), { limits: { body: 1 } }))],
  [
    'calls that are late',
    async () => {
      const client = await beside(answeringWell({ on: '*', step: blackHole }))
      return every(client, Object.entries({ ...writes, ...waits }), { timeout: 50 })
    },
  ],
]

test.each(provoke)(
  'messages about %s are one line of at most 120 characters before the hint',
  async (_what, errors) => {
    const all = await errors()
    expect(all.length).toBeGreaterThan(10)
    expect(all.flatMap(faultsOf)).toEqual([])
  },
)

test.each([
  ['a call that nobody answers', `await client.ready()`],
  ['a wrong argument', `await client.setLabel('a b', 'v')`],
  ['a misspelt option', `createClient({ autoheath: true })`],
])('an uncaught SidecarError of %s prints at most 4 lines beside its stack', async (_what, code) => {
  const file = join(await temporaryFolder('uncaught-error'), 'game.mjs')
  const baseUrl = `http://127.0.0.1:${await freePort()}`
  await bundleSource(
    `import { createClient } from './src/index.node.js'
    const client = createClient({ baseUrl: '${baseUrl}', retry: false })
    // Node prints the line that throws: here, one of ours.
    try { ${code} } catch (error) { setTimeout(() => { throw error }) }`,
    file,
  )
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let printed = ''
  child.stderr.on('data', (data: Buffer) => void (printed += data.toString()))
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(1)
  const [, error = ''] = printed.split(/^(?=SidecarError)/m)
  const lines = error
    .replace(/\n\s*Node\.js v[^]*$/, '')
    .split('\n')
    .filter((line) => line.trim() && !/^\s+at /.test(line))
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.length).toBeLessThanOrEqual(4)
})
