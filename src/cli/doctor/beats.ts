import { failure, ok, skipped, warning } from './check.js'
import type { Check, Finding, Patient } from './check.js'

/** How many periods are looked at. */
const PERIODS = 3

/** The beats of the last three periods, from the log: nobody has to wait for new ones. */
async function checkBeats({ listener, calls }: Patient): Promise<Finding> {
  const found = await listener()
  if (found.kind !== 'ours' || found.state === undefined) {
    return skipped('a real sidecar tells nothing of the beats it gets; in a cluster see kubectl describe gameserver')
  }
  const { health, now } = found.state
  if (health === undefined || now === undefined) return skipped('this sidecar tells nothing of the beats it gets')
  const period = health.period * 1000
  if (health.isOff) return skipped('health checks are off')
  const beats = (await calls()).calls
    .filter(({ operation }) => operation === 'health')
    .map(({ at }) => at)
    // What this doctor has sent itself came after the state was read.
    .filter((at) => at <= now && at > now - PERIODS * period)
  if (beats.length === 0) {
    return health.lastBeat === undefined
      ? warning('no beat has come yet', 'start the game; its client needs autoHealth: true, or calls health()')
      : failure(
          `no beat for ${Math.round((now - health.lastBeat) / 1000)} s; one must come every ${health.period} s`,
          'see whether the game runs, and whether its tab is hidden or its process hangs',
        )
  }
  const times = [...beats, now]
  const worst = times.slice(1).reduce((most, at, index) => Math.max(most, at - times[index]!), 0)
  const told = `${beats.length} beat${beats.length === 1 ? '' : 's'} in the last ${(PERIODS * period) / 1000} s, worst gap ${(worst / 1000).toFixed(1)} s`
  if (worst > period) {
    return failure(
      `${told}, longer than the period of ${health.period} s`,
      'a hidden tab slows its timers down to one a minute: let the client beat from a worker (autoHealth, the default), or host the page with gameserver-sidecar host',
    )
  }
  return worst > period * 0.75
    ? warning(`${told}, close to the period of ${health.period} s`, 'beat at half the period, as autoHealth does')
    : ok(told)
}

export const beatChecks: readonly Check[] = [{ id: 'beats', group: 'Beats', run: checkBeats }]
