import { createMock, type Mock, type MockOptions } from '../../../src/platform/mock.js'
import type { Step } from './wire-case.js'

/** Mocks by a number that stands for a port: `send()` and the watches go straight to them. */
const mocks = new Map<number, Mock>()
let last = 0

export const mockAt = (port: number): Mock | undefined => mocks.get(port)

/** Whether no fetch can send a step: a path that is none, or chunks of an empty body. */
export const needsBytes = ({ call, chunked, body }: Step): boolean =>
  call.includes('\\') || (chunked === true && body === '')

/**
 * A mock that answers every path as the sidecar does, since that is what is compared.
 * @param speed of its time: its order is what counts
 */
export function startMock(options: MockOptions, speed: number): { port: number; mock: Mock; stop(): Promise<void> } {
  const mock = createMock({ time: 'real', unknownPaths: 'answer', ...options })
  const port = --last
  mock.control({ type: 'setClock', speed })
  mocks.set(port, mock)
  return {
    port,
    mock,
    stop() {
      mocks.delete(port)
      mock.close()
      return Promise.resolve()
    },
  }
}
