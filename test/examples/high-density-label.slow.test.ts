import { expect, test } from 'vitest'
import type { AnsweredAllocation } from '../../src/platform/sidecar.js'
import { beginExample, type Example } from './support/play.js'

const LONG = { MATCH_SECONDS: '60', COME_SECONDS: '60' }

const LABEL = 'agones.dev/sdk-gs-session-ready'
const untilLabel = (example: Example, value: string): Promise<void> =>
  example.until(({ object_meta: { labels } }) => labels?.[LABEL] === value)

/** The match that an allocation has begun, as a matchmaker knows it. */
const matchIn = ({ status }: AnsweredAllocation): { match: string } => ({
  match: status.metadata!.annotations['agones.dev/last-allocated']!,
})

test.concurrent('each allocation adds one match, until the server is full', async (context) => {
  const { example, game } = await beginExample(context, 'high-density-label', LONG)
  // Written after Ready, it could undo the lock of the first allocation.
  expect(example.gameServer().object_meta.labels).toMatchObject({ [LABEL]: 'true' })
  for (let running = 1; running <= 3; running += 1) {
    if (running > 1) await untilLabel(example, 'true')
    const answer = example.allocate()
    expect([answer.status.state, example.allocate().status.state]).toEqual(['Allocated', 'UnAllocated'])
    await (await game.player('ada', matchIn(answer))).message('left')
  }
  await game.line(/begins: 3 in all/)
  expect(example.gameServer().object_meta.labels).toMatchObject({ [LABEL]: 'false' })
})

test.concurrent('after its last match the server ends and takes no further allocation', async (context) => {
  const { example, game } = await beginExample(context, 'high-density-label', {
    ...LONG,
    MATCH_SECONDS: '3',
    MATCHES: '2',
  })
  example.allocate()
  await untilLabel(example, 'true')
  example.allocate()
  await game.line(/is over/)
  expect(example.allocate().status.state).toBe('UnAllocated')
  await example.until('Shutdown')
  expect(await game.end('SIGTERM')).toBe(0)
})
