import { createServer, type RequestListener } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { pickRegion, type Region } from '../../src/host/player.js'
import { freePort } from '../support/free-port.js'
import { listenHere } from '../support/listen.js'

const region = async (name: string, answer: RequestListener): Promise<Region> => ({
  name,
  url: `http://127.0.0.1:${await listenHere(createServer(answer))}/healthz`,
})

/** Holds the time limit of 1.5 s back until the returned function is called: a busy machine answers late. */
function holdLimit(): () => void {
  const { setTimeout } = globalThis
  let limit = (): void => undefined
  vi.stubGlobal('setTimeout', (run: () => void, ms: number) => {
    if (ms !== 1_500) return setTimeout(run, ms)
    limit = run
    return undefined
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return () => limit()
}

/** Answers requests after so many milliseconds. */
const away = (name: string, ms: number, { firstMs = ms, onThird = () => {} } = {}): Promise<Region> => {
  let count = 0
  return region(name, (_request, response) => {
    count += 1
    if (count === 3) response.once('finish', onThird)
    setTimeout(() => response.end('ok\n'), count === 1 ? firstMs : ms)
  })
}

test('of four regions, the nearest is first, and the one that never answers is last', async () => {
  const endLimit = holdLimit()
  let left = 3
  const onThird = (): void => {
    left -= 1
    if (left === 0) endLimit()
  }
  const regions = [
    await region('dead', () => {}),
    await away('far', 700, { onThird }),
    await away('near, and slow to connect', 1, { firstMs: 500, onThird }),
    await away('mid', 350, { onThird }),
  ]
  const picked = await pickRegion(regions)
  expect(picked.map(({ name }) => name)).toEqual(['near, and slow to connect', 'mid', 'far', 'dead'])
  expect(picked[3]).toEqual({ ...regions[0], ms: Infinity })
})

test('regions that refuse, answer an error or stop answering are last, in the order given', async () => {
  holdLimit()
  let count = 0
  const regions = [
    { name: 'refuses', url: `http://127.0.0.1:${await freePort()}/` },
    { name: 'no URL', url: 'no URL' },
    await region('not ready', (_request, response) => response.writeHead(503).end()),
    await region('ends', (request, response) => (count++ === 0 ? response.end('ok\n') : request.socket.destroy())),
    await away('here', 1),
  ]
  const picked = await pickRegion(regions)
  expect(picked.map(({ name }) => name)).toEqual(['here', 'refuses', 'no URL', 'not ready', 'ends'])
  expect(picked.slice(1).map(({ ms }) => ms)).toEqual([Infinity, Infinity, Infinity, Infinity])
})

test('a region too far for three requests counts with those that it has answered', async () => {
  const endLimit = holdLimit()
  let count = 0
  const far = await region('far', (_request, response) => (count++ === 0 ? response.end('ok\n') : endLimit()))
  const [picked] = await pickRegion([far])
  expect(picked!.ms).toBeLessThan(Infinity)
})

test('no region is no error', async () => {
  expect(await pickRegion([])).toEqual([])
})
