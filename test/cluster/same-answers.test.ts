import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeUnless } from '../support/describe-unless.js'
import { accepted, ignored, manifestOf, manifests, refused, requests, used, type Case } from './support/allocations.js'
import { missing } from './support/api.js'
import type { AllocationAnswer } from './support/objects.js'
import { onCluster, onDesk, type Side } from './support/sides.js'

interface Answered {
  readonly body: AllocationAnswer & { readonly status: { readonly gameServerName: string } }
}

describeUnless(missing, 'a Fleet on this machine answers as a cluster does', () => {
  let desk: Side
  let cluster: Side
  beforeAll(async () => {
    ;[desk, cluster] = await Promise.all([onDesk(), onCluster()])
  })
  afterAll(() => Promise.all([desk?.close(), cluster?.close()]))

  async function expectSame({ changes }: Pick<Case, 'changes'>, ask: (side: Side) => Promise<unknown>): Promise<void> {
    const answerOf = async (side: Side): Promise<unknown> => {
      await side.reset(changes)
      return ask(side)
    }
    const expected = await answerOf(desk)
    // A cluster's allocator hears of the changes after a moment.
    await expect.poll(() => answerOf(cluster), { timeout: 20_000, interval: 600 }).toEqual(expected)
  }

  it.each([...accepted, ...refused])('an allocation: $title', async (one) => {
    await expectSame(one, (side) => side.allocate(manifestOf(one.asked)))
  })

  it.each(manifests)('an allocation with $title', async (one) => {
    await expectSame(one, (side) => side.allocate(one.asked!))
  })

  it.each(requests)('the allocator service: $title', async (one) => {
    await expectSame(one, (side) => side.serve({ namespace: side.namespace, ...(one.asked as object) }))
  })

  it.each(ignored)('refuses, unlike a cluster: $title', async ({ asked }) => {
    await Promise.all([desk.reset([]), cluster.reset([])])
    expect(await desk.allocate(manifestOf(asked))).toMatchObject({ status: 422 })
    expect(await cluster.allocate(manifestOf(asked))).toMatchObject({ status: 201 })
  })

  it.each([
    ['six for four Ready servers', {}, []],
    ['three for one Allocated server', { selectors: [{ gameServerState: 'Allocated' }] }, [used]],
  ])('allocations at the same time: %s', async (_, spec, changes) => {
    const count = changes.length === 0 ? 6 : 3
    await expectSame({ changes }, async (side) => {
      const answers = await Promise.all(Array.from({ length: count }, () => side.allocate(manifestOf(spec))))
      const nameOf = ({ body }: Answered): string => body.status.gameServerName
      return (answers as Answered[]).sort((a, b) => nameOf(a).localeCompare(nameOf(b)))
    })
  })
})
