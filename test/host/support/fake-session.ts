import type { DevtoolsSession } from '../../../src/host/browser/devtools.js'

/** A session whose answers and events a test gives. */
export interface FakeSession extends DevtoolsSession {
  /** Methods in the order in which they were sent. */
  readonly sent: readonly string[]
  /** @param size length of the event's text */
  emit(event: string, params?: object, size?: number): void
  /** The number of listeners. */
  readonly listeners: number
}

/** @param answer returns the result of a command, or throws the command's error */
export function fakeSession(answer: (method: string, params: object) => unknown = () => ({})): FakeSession {
  const sent: string[] = []
  const listeners = new Set<{ readonly event: string; readonly listener: (params: never, size: number) => void }>()
  return {
    sent,
    get listeners() {
      return listeners.size
    },
    async send<Result>(method: string, params: object = {}) {
      sent.push(method)
      return (await answer(method, params)) as Result
    },
    on(event, listener) {
      const entry = { event, listener }
      listeners.add(entry)
      return () => void listeners.delete(entry)
    },
    emit(event, params = {}, size = 0) {
      for (const entry of [...listeners]) if (entry.event === event) entry.listener(params as never, size)
    },
  }
}
