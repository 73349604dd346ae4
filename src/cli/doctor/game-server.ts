import type { SeenGameServer } from './answered.js'
import { failure, ok, skipped, warning } from './check.js'
import type { Check, Finding, Patient } from './check.js'

const whenThere =
  (run: (gameServer: SeenGameServer, patient: Patient) => Finding) =>
  async (patient: Patient): Promise<Finding> => {
    const gameServer = await patient.gameServer()
    return gameServer === undefined ? skipped('there is no GameServer') : run(gameServer, patient)
  }

function checkState({ state, isBeingDeleted }: SeenGameServer): Finding {
  if (isBeingDeleted) {
    return warning(
      `the GameServer is ${state}, and being deleted`,
      'end the game in order; the next one gets a new GameServer',
    )
  }
  if (state === 'Unhealthy' || state === 'Shutdown' || state === 'Error') {
    return failure(
      `the GameServer is ${state}, which it stays`,
      state === 'Unhealthy'
        ? 'send beats in time (autoHealth), and start the sidecar or the pod again'
        : 'start the sidecar or the pod again',
    )
  }
  if (state === 'Reserved')
    return warning('the GameServer is Reserved', 'it is Ready when its time is over, or by ready()')
  return ok(`the GameServer is ${state}`)
}

function checkHealth({ health: { isOff, period, threshold } }: SeenGameServer): Finding {
  if (isOff) {
    return warning('health checks are off, so a game that hangs stays in play', 'set spec.health.disabled to false')
  }
  return period < 2
    ? warning(
        `a beat must come every ${period} s, which a short pause misses`,
        'set spec.health.periodSeconds to 2 or more',
      )
    : ok(`a beat must come every ${period} s; ${threshold} misses make it Unhealthy`)
}

function checkVersion({ annotations }: SeenGameServer, { version }: Patient): Finding {
  const platform = annotations.find(([key]) => key.endsWith('.dev/sdk-version'))?.[1]
  if (platform === undefined) return ok(`this package is ${version}; the sidecar doesn't tell its version`)
  const both = `this package is ${version}, the platform ${platform}`
  const [, major, minor] = (/^(\d+)\.(\d+)/.exec(platform) ?? []).map(Number)
  // A build of one's own may be called anything.
  if (major === undefined || minor === undefined || major > 1 || minor > 52) return ok(both)
  return minor >= 50
    ? warning(`${both}, whose WebSockets give no frame`, 'update the platform to 1.53 or later')
    : warning(`${both}, whose answer to updateCounter may be empty; this client reads it again`, 'update the platform')
}

export const gameServerChecks: readonly Check[] = [
  { id: 'state', group: 'GameServer', run: whenThere(checkState) },
  { id: 'health', group: 'GameServer', run: whenThere(checkHealth) },
  { id: 'version', group: 'GameServer', run: whenThere(checkVersion) },
]
