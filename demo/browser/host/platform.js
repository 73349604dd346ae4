import { winnersOf } from './scoring.mjs'

/**
 * Reports the match to the platform through the sidecar. The game never waits: calls run one after the other in the
 * background, and a failed one is logged and doesn't stop the others.
 */
export function createPlatform(sidecar) {
  let last = Promise.resolve()
  /** The watch may show Shutdown, at which the game closes the client, before the answer to `shutdown()` is there. */
  const report = ({ code, message }) => code === 'CLOSED' || console.error(message)
  const next = (call) => (last = last.then(call).catch(report))
  /** Names of all who have ever joined. */
  const known = new Set()
  let ending

  return {
    /** Reports Ready: from now on the platform may send players. */
    opened(map) {
      next(() => sidecar.setLabel('map', map))
      next(() => sidecar.ready())
    },

    /** An allocation may have added the expected players to the list and the counter. */
    joined(name) {
      const listed = sidecar.gameServer?.status.lists?.roster?.values ?? []
      const isExpected = listed.includes(name) && !known.has(name)
      known.add(name)
      if (isExpected) return
      next(() => sidecar.updateCounter('players', { countDiff: 1 }))
      next(() => sidecar.addListValue('roster', name))
    },

    left(name) {
      next(() => sidecar.updateCounter('players', { countDiff: -1 }))
      next(() => sidecar.removeListValue('roster', name))
    },

    /**
     * Shuts down: the platform deletes this server and starts another one, so the next match needs no cleanup. Resolves
     * when the sidecar has the call.
     */
    ended(ranking = []) {
      const winners = winnersOf(ranking)
      if (ending === undefined && winners !== '') next(() => sidecar.setAnnotation('winner', winners))
      return (ending ??= next(() => sidecar.shutdown()))
    },
  }
}
