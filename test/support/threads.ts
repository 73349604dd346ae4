import { Worker } from 'node:worker_threads'
import { onTestFinished, vi } from 'vitest'

type Message = { data: unknown }

/** Defines the page's globals that a heartbeat needs, on top of Node's worker threads, until the test is finished. */
export function emulateWorkers(): void {
  const globals = `
    const { parentPort } = require('node:worker_threads')
    globalThis.postMessage = (data) => parentPort.postMessage(data)
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
