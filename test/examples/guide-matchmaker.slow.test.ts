import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test, type TestContext } from 'vitest'
import { createLocalSidecar } from '../../src/node/index.js'
import type { GameServerAllocation } from '../../src/sidecar/index.js'
import { snippetsOf } from '../support/markdown.js'
import { allocationOf } from './support/manifests.js'

interface Guide {
  allocate(allocation: unknown, signal: AbortSignal): Promise<{ address: string; port: number }>
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: GameServerAllocation) => void

const state = (name: string): Answer => {
  return (_, response) => void response.writeHead(201).end(JSON.stringify({ status: { state: name } }))
}

/** A Kubernetes API that gives these answers, one after the other, and the code of the guide, which asks there. */
async function begin({ onTestFinished }: TestContext, answers: Answer[]) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      paths.push(`${request.method!} ${request.url!}`)
      answers.shift()!(request, response, JSON.parse(body) as GameServerAllocation)
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const [snippet] = snippetsOf('docs/guides/matchmaker.md').filter(({ code }) => code.startsWith('import '))
  const folder = await mkdtemp(join(tmpdir(), 'guide-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'allocate.mjs')
  await writeFile(file, snippet!.code.replace("'https://kubernetes.default.svc'", JSON.stringify(url)))
  const guide = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Guide
  return { guide, paths }
}

describe.concurrent('the code of the guide to matchmakers', () => {
  test('asks until a server is its own, whatever comes in between, and gives its address', async (context) => {
    const sidecar = await createLocalSidecar({ port: 0, file: 'examples/one-match/fleet.yaml', onWarning: () => {} })
    context.onTestFinished(() => sidecar.close())
    sidecar.control({ type: 'setState', state: 'Ready' })
    const { guide, paths } = await begin(context, [
      state('UnAllocated'),
      state('Contention'),
      (request) => request.socket.destroy(),
      (_, response) => void response.writeHead(500).end('could not update the selected GameServer'),
      (_, response, body) => void response.writeHead(201).end(JSON.stringify(sidecar.allocate(body))),
    ])
    const server = await guide.allocate(allocationOf('one-match'), new AbortController().signal)
    expect(server).toEqual({ address: '127.0.0.1', port: 7777 })
    const path = '/apis/allocation.agones.dev/v1/namespaces/default/gameserverallocations'
    expect(paths).toEqual(Array.from({ length: 5 }, () => `POST ${path}`))
    expect(sidecar.sidecar.snapshot().gameServer.status.state).toBe('Allocated')
  })

  test('does not ask again where the request is wrong', async (context) => {
    const { guide } = await begin(context, [(_, response) => void response.writeHead(403).end('may not create')])
    await expect(guide.allocate({}, new AbortController().signal)).rejects.toThrow('403 may not create')
  })

  test('ends when nobody waits any more', async (context) => {
    const { guide } = await begin(context, [state('UnAllocated')])
    await expect(guide.allocate({}, AbortSignal.timeout(300))).rejects.toThrow(/abort/i)
  })
})
