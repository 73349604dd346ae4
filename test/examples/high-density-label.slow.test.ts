import { expect, test } from 'vitest'
import type { AnsweredAllocation } from '../../src/sidecar/index.js'
import { playExample, type Example } from './support/play.js'

const SHORT = { MATCH_SECONDS: '3', COME_SECONDS: '1' }

const LABEL = 'agones.dev/sdk-gs-session-ready'
const untilLabel = (example: Example, value: string): Promise<void> =>
  example.until(({ object_meta: { labels } }) => labels?.[LABEL] === value)

/** The match that an allocation has begun, as a matchmaker knows it. */
const matchIn = ({ status }: AnsweredAllocation): { match: string } => ({
  match: status.metadata!.annotations['agones.dev/last-allocated']!,
})

test.concurrent('one allocation at a time gets the server, until as many matches run as it holds', async (context) => {
  const example = await playExample(context, 'high-density-label')
  const game = await example.start(SHORT)
  await example.until('Ready')
  for (let running = 1; running <= 3; running += 1) {
    if (running > 1) await untilLabel(example, 'true')
    const answer = example.allocate()
    expect([answer.status.state, example.allocate().status.state]).toEqual(['Allocated', 'UnAllocated'])
    await (await game.player('ada', matchIn(answer))).message('left')
  }
  await game.line(/begins: 3 in all/)
  expect(example.gameServer().object_meta.labels).toMatchObject({ [LABEL]: 'false' })
  // The first match has ended by its time.
  await untilLabel(example, 'true')
  expect(example.allocate().status.state).toBe('Allocated')
})

test.concurrent('a match to which nobody comes gives its place back, and one that is over closes', async (context) => {
  const example = await playExample(context, 'high-density-label')
  const game = await example.start(SHORT)
  await example.until('Ready')
  const ada = await game.player('ada', matchIn(example.allocate()))
  await untilLabel(example, 'true')
  example.allocate()
  await game.line(/is over: 1 in all/)
  expect(ada.messages).not.toContainEqual({ type: 'over' })
  expect(await ada.message('over')).toEqual({ type: 'over' })
  expect(await ada.closed).toMatchObject({ code: 1000 })
})

test.concurrent('after its last match the server ends, and no allocation comes between', async (context) => {
  const example = await playExample(context, 'high-density-label')
  const game = await example.start({ ...SHORT, MATCHES: '2' })
  await example.until('Ready')
  const ada = await game.player('ada', matchIn(example.allocate()))
  await untilLabel(example, 'true')
  example.allocate()
  await game.line(/is over: 1 in all/)
  // One match has ended and one runs: it is the last.
  expect(example.allocate().status.state).toBe('UnAllocated')
  expect(await ada.message('over')).toEqual({ type: 'over' })
  await example.until('Shutdown')
  expect(await game.end('SIGTERM')).toBe(0)
})

test.concurrent('the label is right after restarts of the sidecar and writes that were lost', async (context) => {
  const example = await playExample(context, 'high-density-label')
  const game = await example.start(SHORT)
  await example.until('Ready')
  for (let match = 1; match <= 3; match += 1) {
    if (match > 1) await untilLabel(example, 'true')
    example.sidecar.control({ type: 'loseWrites' })
    expect(example.allocate().status.state).toBe('Allocated')
    await game.line(/begins/)
    await example.sidecar.restart({ downMs: 200 })
  }
  await game.line(/over: 0 in all/)
  await untilLabel(example, 'true')
})

test.concurrent('a server that was killed and starts again takes matches again', async (context) => {
  const example = await playExample(context, 'high-density-label')
  const game = await example.start(SHORT)
  await example.until('Ready')
  example.allocate()
  await game.line(/begins/)
  await game.end('SIGKILL')
  example.sidecar.control({ type: 'setLabel', key: LABEL, value: 'false' })
  await example.start(SHORT)
  await untilLabel(example, 'true')
  expect(example.states().at(-1)).toBe('Allocated')
  expect(example.allocate().status.state).toBe('Allocated')
})
