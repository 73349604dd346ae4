import { expect, onTestFinished, test } from 'vitest'
import { createLocalSidecar } from '../../src/node/index.js'
import type { LocalSidecar, LocalSidecarOptions } from '../../src/node/index.js'

async function start(options: LocalSidecarOptions = {}): Promise<LocalSidecar> {
  const local = await createLocalSidecar({ mode: 'local', ...options })
  onTestFinished(() => local.close())
  return local
}

const post = async (
  { url }: LocalSidecar,
  body: string,
  headers: Record<string, string> = { 'x-sidecar-control': '1' },
): Promise<[number, unknown]> => {
  const response = await fetch(`${url}/_/api/allocations`, { method: 'POST', body, headers })
  return [response.status, await response.json()]
}

test('an allocation over HTTP is answered with its status, and with a reason where nothing matched', async () => {
  const local = await start()
  const manifest = JSON.stringify({ spec: { metadata: { labels: { mode: 'dm' } } } })
  const [status, answer] = await post(local, manifest)
  expect(status).toBe(200)
  expect(answer).toMatchObject({
    kind: 'GameServerAllocation',
    status: { state: 'Allocated', gameServerName: 'local', source: 'local', metadata: { labels: { mode: 'dm' } } },
  })
  expect(await post(local, manifest)).toMatchObject([
    200,
    { status: { state: 'UnAllocated' }, reason: 'state is Allocated, must be Ready' },
  ])
})

test('a mistake over HTTP is 400 in the shape of the control interface', async () => {
  const local = await start()
  const refused = (message: string): unknown => [400, { code: 3, message, details: [] }]
  expect(await post(local, '{"spec":{"selector":[]}}')).toEqual(
    refused('spec has no field "selector"; did you mean "selectors"?'),
  )
  expect(await post(local, '{')).toEqual(refused('An allocation is a GameServerAllocation as JSON'))
  expect(await post(local, '[]')).toEqual(refused('the manifest must be an object; got a list'))
  expect((await post(local, '{}', {}))[0]).toBe(403)
  expect((await post(local, ' '.repeat(2 * 1024 * 1024)))[0]).toBe(413)
  expect((await fetch(`${local.url}/_/api/allocations`)).status).toBe(405)
  expect(local.sidecar.log.entries()).toEqual([])
})

test('allocate() answers the same, and throws a TypeError for a mistake', async () => {
  const local = await start({ mode: 'production' })
  expect(local.allocate({})).toMatchObject({
    status: { state: 'UnAllocated' },
    reason: 'state is Scheduled, must be Ready',
  })
  local.control({ type: 'setState', state: 'Ready' })
  expect(local.allocate({}).status.gameServerName).toBe('local')
  expect(() => local.allocate({ spec: { scheduling: 'Packt' as 'Packed' } })).toThrow(TypeError)
})
