import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/index.node.js'
import { isSidecarError } from '../../src/index.js'
import { createScriptedSidecar } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { calls, callFaults, type CallFault } from './table-calls.js'

const cases = callFaults.flatMap((fault) =>
  fault.calls.map((call) => [`${fault.name} (${call})`, call, fault] as const),
)

describe.concurrent('whatever a call is answered, the caller gets the answer or one typed error', () => {
  test.each(cases)('a call gets its answer or one typed error where %s', (_title, call, fault) => play(call, fault))
})

async function play(call: keyof typeof calls, { rules, options, expect: wanted }: CallFault): Promise<void> {
  const sidecar = await createScriptedSidecar(rules)
  const client = createClient({ ...options, baseUrl: sidecar.url })
  try {
    const outcome: unknown = await calls[call](client).catch((error: unknown) => error)
    if (wanted.code === undefined) {
      expect(outcome).toEqual(gameServer(1))
    } else {
      if (!isSidecarError(outcome)) expect.fail(`no SidecarError: ${String(outcome)}`)
      expect(outcome.code, outcome.message).toBe(typeof wanted.code === 'string' ? wanted.code : wanted.code[call])
      expect(outcome.operation).toBe(call === 'read' ? 'getGameServer' : 'addListValue')
      if (wanted.status !== undefined) expect(outcome.status).toBe(wanted.status)
      expect(outcome.message.length, 'an excerpt of at most 1 KiB').toBeLessThan(1400)
    }
    // A read may be asked again, and the client may ask by one whether anybody is there; an addition goes out once.
    const sent = sidecar.requests.filter(({ method }) => method === (call === 'read' ? 'GET' : 'POST')).length
    expect(sent).toBeLessThanOrEqual(call === 'read' ? 5 : 1)
    expect(sent).toBeGreaterThan(0)
    client.close()
    await sidecar.untilNoSockets()
  } finally {
    client.close()
    await sidecar.close()
  }
}
