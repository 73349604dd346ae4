import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { onTestFinished, vi } from 'vitest'

type Message = { data: unknown }

/** A sidecar in a thread of its own that only counts beats. */
export interface BeatCounter {
  url: string
  /**
   * Blocks this thread, as a busy game does, until a beat has come and then none for 1.2 s. Returns the number of beats
   * meanwhile.
   */
  computeUntilSilent(): number
  /** Resolves with the next beat. */
  nextBeat(): Promise<void>
}

const counter = `
  const { parentPort, workerData: beats } = require('node:worker_threads')
  const server = require('node:http').createServer((request, response) => {
    if (request.url === '/health') {
      Atomics.add(beats, 0, 1)
      Atomics.notify(beats, 0)
      parentPort.postMessage('beat')
    }
    response.setHeader('content-type', 'application/json')
    request.resume().on('end', () => response.end('{}'))
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

export async function countBeats(): Promise<BeatCounter> {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(counter, { eval: true, workerData: beats })
  onTestFinished(async () => void (await thread.terminate()))
  const [port] = (await once(thread, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}`,
    computeUntilSilent() {
      const before = Atomics.load(beats, 0)
      let seen = before
      // On a busy machine the first beat may be late.
      while (Atomics.wait(beats, 0, seen, seen === before ? 60_000 : 1200) !== 'timed-out')
        seen = Atomics.load(beats, 0)
      return seen - before
    },
    nextBeat: async () => void (await once(thread, 'message')),
  }
}

/** Defines the page's globals that a heartbeat needs, on top of Node's worker threads, until the test is finished. */
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
