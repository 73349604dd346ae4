import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../src/index.js'
import type { XMLHttpRequestLike } from '../../src/index.js'
import type { Exchange } from '../support/fault-server-exchange.js'
import { startScripted } from '../support/with-scripted-sidecar.js'
import { emulateBrowser } from './emulated-browser-fetch.js'

interface Head {
  method: string
  path: string
  headers: Readonly<Record<string, string>>
}

const bodies: Record<string, string> = {
  '/v1beta1/counters/a': '{"name":"a","count":"1","capacity":"2"}',
  '/v1beta1/lists/a': '{"name":"a","capacity":"2","values":[]}',
}

/** Answers as a good sidecar does, with these headers besides. */
async function answerWell(exchange: Exchange, headers: Record<string, string> = {}): Promise<void> {
  const { method, path } = exchange.request
  if (path !== '/watch/gameserver')
    return exchange.reply({
      headers,
      body: bodies[path] ?? (method === 'GET' ? JSON.stringify(exchange.gameServer) : '{}'),
    })
  await exchange.open(headers)
  await exchange.follow()
}

/** The host's own, also where a test takes it away. */
const hostFetch = fetch

/** As much of an XMLHttpRequest as the client needs, over fetch; its headers are those that were set. */
class XMLHttpRequestOverFetch implements XMLHttpRequestLike {
  readyState = 0
  status = 0
  responseText = ''
  onreadystatechange: (() => void) | null = null
  readonly #headers: Record<string, string> = {}
  readonly #controller = new AbortController()
  #request: [method: string, url: string] = ['', '']
  #answer: Headers | undefined

  open(method: string, url: string): void {
    this.#request = [method, url]
  }
  setRequestHeader(name: string, value: string): void {
    this.#headers[name] = value
  }
  getResponseHeader(name: string): string | null {
    return this.#answer?.get(name) ?? null
  }
  abort(): void {
    this.#controller.abort()
  }
  send(body?: string | null): void {
    this.#run(body ?? null).catch(() => this.#change(4))
  }
  async #run(body: string | null): Promise<void> {
    const [method, url] = this.#request
    const { signal } = this.#controller
    const answer = await hostFetch(url, { method, body, headers: this.#headers, signal })
    this.status = answer.status
    this.#answer = answer.headers
    this.#change(2)
    const decoder = new TextDecoder()
    for await (const bytes of answer.body!) {
      this.responseText += decoder.decode(bytes, { stream: true })
      this.#change(3)
    }
    this.#change(4)
  }
  #change(state: number): void {
    this.readyState = state
    this.onreadystatechange?.()
  }
}

describe.each(['fetch', 'XMLHttpRequest'])('over %s', (means) => {
  test('a GET has no Content-Type, the watch neither, and a write has that of JSON', async () => {
    const heads: Head[] = []
    const step = (exchange: Exchange): Promise<void> => {
      heads.push(exchange.request)
      return answerWell(exchange)
    }
    const sidecar = await startScripted([{ on: '*', step }])
    if (means !== 'fetch') vi.stubGlobal('fetch', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    const client = createClient({ baseUrl: sidecar.url, XMLHttpRequest: XMLHttpRequestOverFetch, watch: 'stream' })
    onTestFinished(() => client.close())
    await client.waitFor('Ready')
    await sidecar.until(() => sidecar.followers > 0, 'the watch')
    await client.getCounter('a')
    await client.getList('a')
    await client.setLabel('a', 'b')
    await client.health()
    const typeOf = ({ method, path, headers }: Head): string =>
      `${method} ${path} ${headers['content-type'] ?? 'without'}`
    expect([...new Set(heads.map(typeOf))].sort()).toEqual([
      'GET /gameserver without',
      'GET /v1beta1/counters/a without',
      'GET /v1beta1/lists/a without',
      'GET /watch/gameserver without',
      'POST /health application/json',
      'PUT /metadata/label application/json',
    ])
  })
})

test('a proxy that only allows the origin is read from another one without preflights, as by fetch', async () => {
  const pageOrigin = 'http://game.example'
  vi.stubGlobal('location', { origin: pageOrigin, search: '' })
  onTestFinished(() => void vi.unstubAllGlobals())
  const step = (exchange: Exchange): Promise<void> => {
    const { method, isUpgrade } = exchange.request
    if (isUpgrade || method !== 'GET') return exchange.reply({ status: 501, body: '{}' })
    return answerWell(exchange, { 'access-control-allow-origin': '*' })
  }
  const sidecar = await startScripted([{ on: '*', step }])
  const { fetch, sent } = emulateBrowser(pageOrigin)
  const client = createClient({ baseUrl: sidecar.url, fetch })
  onTestFinished(() => client.close())
  const errors: unknown[] = []
  client.on('error', (error) => void errors.push(error))
  expect((await client.getGameServer({ timeout: 5000 })).object_meta.name).toBe('scripted')
  client.on('gameserver', () => {})
  await sidecar.until(() => sidecar.followers > 0, 'the watch')
  expect(client.status.direct).toBe(false)
  expect(errors).toEqual([])
  expect(sent.filter(({ method }) => method !== 'GET')).toEqual([])
})
