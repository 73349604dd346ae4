/**
 * What the match means to the platform, told through the sidecar. The game never waits for it: calls go out
 * one after the other in the background, and one that fails is shown and doesn't stop the others.
 */
export function createPlatform(sidecar, onTrouble) {
  let last = Promise.resolve()
  const next = (call) => {
    last = last.then(call).catch(onTrouble)
  }

  return {
    /** Everything that players need is there: from now on the platform may send some. */
    opened(map) {
      next(() => sidecar.setLabel('map', map))
      next(() => sidecar.ready())
    },

    joined(name) {
      next(() => sidecar.updateCounter('players', { countDiff: 1 }))
      next(() => sidecar.addListValue('roster', name))
    },

    left(name) {
      next(() => sidecar.updateCounter('players', { countDiff: -1 }))
      next(() => sidecar.removeListValue('roster', name))
    },

    /**
     * The platform deletes this server and starts another one: nothing needs to be cleaned up for the next
     * match.
     */
    ended([winner]) {
      if (winner !== undefined) next(() => sidecar.setAnnotation('winner', winner.name))
      next(() => sidecar.shutdown())
    },
  }
}
