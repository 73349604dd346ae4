import { winnersOf } from './scoring.mjs'

/**
 * What the match means to the platform, told through the sidecar. The game never waits for it: calls go out
 * one after the other in the background, and one that fails is logged and doesn't stop the others.
 */
export function createPlatform(sidecar) {
  let last = Promise.resolve()
  const next = (call) => (last = last.then(call).catch((error) => console.error(error.message)))
  /** Names of all who have ever joined. */
  const known = new Set()
  let ending

  return {
    /** Everything that players need is there: from now on the platform may send some. */
    opened(map) {
      next(() => sidecar.setLabel('map', map))
      next(() => sidecar.ready())
    },

    /** An allocation may have put on the list who is coming, and counted them. */
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
     * The platform deletes this server and starts another one: nothing needs to be cleaned up for the next
     * match. Resolves when the platform has been told.
     */
    ended(ranking = []) {
      const winners = winnersOf(ranking)
      if (ending === undefined && winners !== '') next(() => sidecar.setAnnotation('winner', winners))
      return (ending ??= next(() => sidecar.shutdown()))
    },
  }
}
