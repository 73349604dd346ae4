import type { DevtoolsSession } from '../browser/devtools.js'

/** What the thread is, such as `worker`, `shared_worker`, `service_worker` or `iframe`. */
export interface AttachedThread {
  readonly type: string
  readonly session: DevtoolsSession
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>
  detach(): Promise<unknown>
}

export interface FollowWorkersOptions {
  readonly page: DevtoolsSession
  sessionOf(sessionId: string): DevtoolsSession
  onThread(thread: AttachedThread): void
}

interface Attached {
  readonly sessionId: string
  readonly targetInfo: { readonly type: string }
}

/** A page may start workers for ever. */
const MAX_THREADS = 100

/** Attaches to the page's workers and to its frames of other origins, and to those that they start. */
export async function followWorkers({ page, sessionOf, onThread }: FollowWorkersOptions): Promise<void> {
  const threads = new Map<string, () => void>()

  const follow = async (parent: DevtoolsSession, parentEnded?: Promise<void>): Promise<void> => {
    const listeners = [
      parent.on<Attached>('Target.attachedToTarget', ({ sessionId, targetInfo: { type } }) => {
        const detach = (): Promise<unknown> => parent.send('Target.detachFromTarget', { sessionId })
        if (threads.size >= MAX_THREADS) return void detach().catch(ignore)
        const session = sessionOf(sessionId)
        const ended = new Promise<void>((resolve) => threads.set(sessionId, resolve))
        onThread({ type, session, ended, detach })
        follow(session, ended).catch(ignore)
      }),
      parent.on<{ sessionId: string }>('Target.detachedFromTarget', ({ sessionId }) => {
        threads.get(sessionId)?.()
        threads.delete(sessionId)
      }),
    ]
    void parentEnded?.then(() => listeners.forEach((end) => end()))
    await parent.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true })
  }
  await follow(page)
}

const ignore = (): void => undefined
