import fc from 'fast-check'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { checks } from '../../src/cli/commands/doctor.js'
import { createPatient } from '../../src/cli/doctor/patient.js'
import { startSidecar } from '../support/with-sidecar.js'
import { fileWith } from './support.js'

/** Values of the wrong type; some have no text. */
const hostile = fc.oneof(
  fc.constantFrom<unknown>(null, {}, [], '', 0, -1, 1e308, true, [[]], { toString: 1 }, { length: -1 }),
  fc.constantFrom<unknown>(
    [null],
    { health: null },
    { toString: null, valueOf: null },
    '\u0000\u001b[2J',
    'x'.repeat(70_000),
  ),
  fc.jsonValue(),
)

type Path = readonly (string | number)[]

const pathsOf = (value: unknown, path: Path = []): Path[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...pathsOf(inner, [...path, key])])
    : []

/** An honest answer with a few parts missing or replaced. */
function mutated(honest: unknown): fc.Arbitrary<string> {
  const paths = pathsOf(honest)
  const change = fc.record({ path: fc.constantFrom(...paths), value: fc.option(hostile, { nil: undefined }) })
  return fc.array(change, { minLength: 1, maxLength: 5 }).map((changes) => {
    const copy = structuredClone(honest)
    for (const { path, value } of changes) {
      const inner = path.slice(0, -1).reduce<unknown>((one, key) => (Object(one) as Record<string, unknown>)[key], copy)
      // A copy, since what is put in here may be changed by the next one.
      if (typeof inner === 'object' && inner !== null) Object.assign(inner, { [path.at(-1)!]: structuredClone(value) })
    }
    return JSON.stringify(copy)
  })
}

const FILE = `
apiVersion: agones.dev/v1
kind: GameServer
spec: { ports: [{ containerPort: 7777 }], health: { initialDelaySeconds: 1 }, template: {} }
`

test('no check crashes, whatever the answers are', { timeout: 300_000 }, async () => {
  const { url: honestUrl } = await startSidecar()
  const from = async (path: string): Promise<unknown> => (await fetch(`${honestUrl}${path}`)).json()
  await fetch(`${honestUrl}/health`, { method: 'POST', body: '{}' })
  const [gameServer, state, log] = [await from('/gameserver'), await from('/_/api/state'), await from('/_/api/log')]
  const orAnything = (honest: unknown): fc.Arbitrary<string> =>
    fc.oneof(
      { weight: 6, arbitrary: mutated(honest) },
      { weight: 2, arbitrary: fc.constant(JSON.stringify(honest)) },
      { weight: 1, arbitrary: hostile.map((value) => JSON.stringify(value)) },
      { weight: 1, arbitrary: fc.string() },
    )
  const answers: Readonly<Record<string, fc.Arbitrary<string>>> = {
    '/gameserver': orAnything(gameServer),
    '/_/api/state': orAnything(state),
    '/_/api/log': orAnything(log),
    '/watch/gameserver': orAnything({ result: gameServer }).map((line) => `${line}\n`),
    '/health': orAnything({ a: 1 }),
  }
  const status = fc.oneof({ weight: 5, arbitrary: fc.constant(200) }, fc.constantFrom(401, 404, 500, 204, 302, 599))

  let given: Readonly<Record<string, string>> = {}
  let givenStatus = 200
  const server = createServer((request, response: ServerResponse) => {
    const text = given[request.url ?? '']
    request.resume().once('end', () => response.writeHead(text === undefined ? 404 : givenStatus).end(text ?? '{}'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const file = await fileWith(FILE)
  // These checks don't ask the address.
  const asked = checks.filter(({ group, id }) => group !== 'Cluster' && id !== 'localhost')

  await fc.assert(
    fc.asyncProperty(fc.record(answers), status, async (texts, code) => {
      given = texts
      givenStatus = code
      const patient = createPatient({
        ...{ url, file, env: {}, isUrlGiven: true, origin: 'http://localhost:5173' },
        ...{ version: '0.1.0', patience: 1_000 },
      })
      for (const { id, run } of asked) {
        const finding = await run(patient)
        expect(`${id}: ${finding.text}`).not.toMatch(/NaN|\[object/)
      }
    }),
    { numRuns: 300 },
  )
})
