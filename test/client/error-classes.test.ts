import { describe, expect, test } from 'vitest'
import type { SidecarClient } from '../../src/index.js'
import { answering } from '../support/fault-server-steps.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { calls, connectClient, startSidecar } from '../support/with-sidecar.js'

/** Shorter than the time that a wrong class would go on asking. */
const soon = { timeout: 2000 }

describe.each(['local', 'production'] as const)(
  'in %s mode a name or value never decides the class of an error',
  (mode) => {
    const odd = ['a|14|b', '|14|', 'a|8|429', 'nope not enabled']

    test.each(odd)('an unknown counter %s is NOT_FOUND, asked for once', async (name) => {
      const sidecar = await startSidecar({ mode })
      const failed = connectClient(sidecar).getCounter(name, soon)
      await expect(failed).rejects.toMatchObject({ code: 'NOT_FOUND', operation: 'getCounter', status: 500 })
      expect(calls(sidecar).filter((call) => call === 'getCounter')).toHaveLength(1)
    })

    test.each(odd)('an unknown list %s is NOT_FOUND, asked for once', async (name) => {
      const sidecar = await startSidecar({ mode })
      await expect(connectClient(sidecar).getList(name, soon)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(calls(sidecar).filter((call) => call === 'getList')).toHaveLength(1)
    })

    test.each([...odd, 'p|14|q'])('the list value %s twice is ALREADY_EXISTS, once gone NOT_FOUND', async (value) => {
      const sidecar = await startSidecar({ mode })
      const client = connectClient(sidecar)
      const change = (run: (client: SidecarClient) => Promise<unknown>): Promise<unknown> =>
        run(client).then(
          () => 'fine',
          (error: unknown) => (error as { code: string }).code,
        )
      expect([
        await change((client) => client.addListValue('players', value, soon)),
        await change((client) => client.addListValue('players', value, soon)),
        await change((client) => client.removeListValue('players', value, soon)),
      ]).toEqual(['fine', 'ALREADY_EXISTS', 'fine'])
      // In production a value that was added and taken away within half a second may still be there.
      await client.waitFor(({ status }) => !status.lists?.['players']?.values?.includes(value))
      expect(await change((client) => client.removeListValue('players', value, soon))).toBe('NOT_FOUND')
      expect(calls(sidecar).filter((call) => call === 'removeListValue')).toHaveLength(2)
    })
  },
)

test.each([
  ['a code that is text', { code: '14', message: 'counter not found: x' }, 'NOT_FOUND'],
  ['a code that is a list', { code: [14], message: 'counter not found: x' }, 'NOT_FOUND'],
  ['a message of several lines', { code: 2, message: 'counter not found: a\n|14|' }, 'NOT_FOUND'],
  ['a message that only mentions another', { code: 2, message: 'x: not found|14|500' }, 'UNKNOWN'],
])(
  '%s: only a number counts as the code, and only the beginning of a message as its words',
  async (_what, body, code) => {
    const step = answering({ status: 500, body: JSON.stringify({ details: [], ...body }) })
    const sidecar = await startScripted([{ on: 'GET /v1beta1/counters/x', step }])
    const client = connectClient(sidecar)
    await client.connect()
    await expect(client.getCounter('x', soon)).rejects.toMatchObject({ code, status: 500 })
    expect(sidecar.requests.filter(({ path }) => path === '/v1beta1/counters/x')).toHaveLength(1)
  },
)
