import { onTestFinished } from 'vitest'
import { createClient, type ClientOptions, type SidecarClient } from '../../src/index.js'
import { createMock, type Mock, type MockOptions } from '../../src/platform/mock.js'

export interface Game {
  readonly mock: Mock
  readonly client: SidecarClient
}

/** A mock and a client of it, both closed when the test ends. */
export function play(options: MockOptions = {}, clientOptions: ClientOptions = {}): Game {
  const mock = createMock(options)
  const client = createClient({ ...mock.options, ...clientOptions })
  onTestFinished(() => {
    client.close()
    mock.close()
  })
  return { mock, client }
}

/** What a promise has come to by now: its value, the code of its error, or `pending`. */
export async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  const pending = new Promise<string>((resolve) => setImmediate(() => resolve('pending')))
  return Promise.race([promise.catch((error: unknown) => (error as { code?: string }).code ?? String(error)), pending])
}
