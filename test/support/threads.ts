import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { onTestFinished, vi } from 'vitest'

type Message = { data: unknown }

/** A sidecar in a thread of its own that takes beats, and nothing else. */
export interface BeatCounter {
  url: string
  /** When each beat came, ms since the Unix epoch. */
  beats(): Promise<number[]>
}

const counter = `
  const { parentPort } = require('node:worker_threads')
  const beats = []
  const server = require('node:http').createServer((request, response) => {
    if (request.url === '/health') beats.push(Date.now())
    response.setHeader('content-type', 'application/json')
    request.resume().on('end', () => response.end('{}'))
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
  parentPort.on('message', () => parentPort.postMessage(beats))
`

export async function countBeats(): Promise<BeatCounter> {
  const thread = new Worker(counter, { eval: true })
  onTestFinished(async () => void (await thread.terminate()))
  const told = async (): Promise<unknown> => ((await once(thread, 'message')) as unknown[])[0]
  const port = await told()
  return {
    url: `http://127.0.0.1:${String(port)}`,
    beats() {
      const answer = told()
      thread.postMessage('beats')
      return answer as Promise<number[]>
    },
  }
}

/** The globals of a page, as far as a heartbeat needs them, over Node's own threads, until the test is finished. */
export function emulateWorkers(): void {
  const globals = `
    const { parentPort } = require('node:worker_threads')
    globalThis.postMessage = (data) => parentPort.postMessage(data)
    parentPort.on('message', (data) => onmessage({ data }))
  `
  vi.stubGlobal('Blob', function Blob(this: { parts: string[] }, parts: string[]) {
    this.parts = parts
  })
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => (blob as unknown as { parts: string[] }).parts.join(''))
  vi.stubGlobal(
    'Worker',
    class {
      onmessage: ((message: Message) => void) | null = null
      readonly #thread: Worker

      constructor(program: string) {
        this.#thread = new Worker(globals + program, { eval: true })
        this.#thread.on('message', (data) => this.onmessage?.({ data }))
      }

      postMessage(data: unknown): void {
        this.#thread.postMessage(data)
      }

      terminate(): void {
        void this.#thread.terminate()
      }
    },
  )
  onTestFinished(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })
}

/** Does what a game does that computes: nothing else runs in this thread meanwhile. */
export function compute(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}
