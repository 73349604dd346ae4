/** A connection to the browser, or to one page in it, in the DevTools protocol. */
export interface DevtoolsSession {
  /**
   * Sends a command and resolves with its result.
   *
   * @param deadline ms to wait for the answer; after a page's crash there is none. Default 5,000.
   * @throws DevtoolsError if the browser answers with an error, doesn't answer in time, or has ended
   */
  send<Result = unknown>(method: string, params?: object, deadline?: number): Promise<Result>
  /** Calls the listener with the parameters of each event and the length of its text. Returns the function that ends it. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller knows the event's shape
  on<Params = never>(event: string, listener: (params: Params, size: number) => void): () => void
}

/** A command of the DevTools protocol that failed. */
export class DevtoolsError extends Error {
  override readonly name = 'DevtoolsError'
  readonly method: string

  constructor(method: string, message: string) {
    super(`${method}: ${message}`)
    this.method = method
  }
}
