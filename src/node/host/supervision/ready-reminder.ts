export interface ReadyReminderOptions {
  readonly wasReady: () => boolean
  /** ms that a game may take for it. */
  readonly after: number
  readonly warn: (text: string) => void
  /** Ends the wait. */
  readonly signal: AbortSignal
}

/**
 * Says so, once, if a game that runs doesn't get Ready: everything looks well then, and nobody ever comes. It may be on
 * purpose, so it is no more than a warning.
 */
export function remindOfReady({ wasReady, after, warn, signal }: ReadyReminderOptions): void {
  const timer = setTimeout(() => {
    if (wasReady()) return
    warn(
      `The game runs, but has not called ready() within ${after} ms of its first step. Players are sent to it only after ` +
        'that: call createClient({ autoHealth: true }).ready() when it can take them',
    )
  }, after)
  timer.unref()
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
}
