import { winnersOf } from '../page/headline.mjs'

/**
 * What the match means to the platform. The game never waits for the sidecar: calls go out one after the other in the
 * background, and one that fails is told to `onTrouble`.
 */
export function createPlatform(sidecar, onTrouble) {
  let last = Promise.resolve()
  const next = (call) => {
    last = last.then(call).catch(onTrouble)
    return last
  }

  return {
    opened() {
      next(() => sidecar.setLabel('phase', 'waiting'))
      next(() => sidecar.ready())
    },

    /** `confirm` waits until the watch shows it, so that players are counted on an allocated GameServer. */
    started() {
      next(() => sidecar.allocate({ confirm: true }))
      next(() => sidecar.setLabel('phase', 'playing'))
    },

    joined({ name }) {
      next(() => sidecar.updateCounter('players', { countDiff: 1 }))
      next(() => sidecar.addListValue('roster', name))
    },

    left({ name }) {
      next(() => sidecar.updateCounter('players', { countDiff: -1 }))
      next(() => sidecar.removeListValue('roster', name))
    },

    ended(ranking) {
      next(() => sidecar.setLabel('phase', 'over'))
      const winners = winnersOf(ranking)
      if (winners !== '') next(() => sidecar.setAnnotation('winner', winners))
      next(() => sidecar.shutdown())
    },
  }
}
