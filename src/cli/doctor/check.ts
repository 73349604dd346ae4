import type { Patient } from './patient.js'

export type Group = 'Environment' | 'Reach' | 'Watch' | 'GameServer' | 'File' | 'Beats' | 'Cluster'

export interface Finding {
  readonly status: 'ok' | 'warning' | 'failure' | 'skipped'
  readonly text: string
  /** What to do about it. */
  readonly fix?: string
}

export const ok = (text: string): Finding => ({ status: 'ok', text })
export const warning = (text: string, fix: string): Finding => ({ status: 'warning', text, fix })
export const failure = (text: string, fix: string): Finding => ({ status: 'failure', text, fix })
export const skipped = (text: string): Finding => ({ status: 'skipped', text })

export interface Check {
  /** For `--json`. */
  readonly id: string
  readonly group: Group
  readonly run: (patient: Patient) => Finding | Promise<Finding>
}

/** A check that is skipped, for the given reason, where `find` finds nothing. */
export const needing =
  <T>(
    find: (patient: Patient) => Promise<T | undefined>,
    reason: string,
    run: (found: T, patient: Patient) => Finding | Promise<Finding>,
  ): Check['run'] =>
  async (patient) => {
    const found = await find(patient)
    return found === undefined ? skipped(reason) : run(found, patient)
  }

/** Warns of health settings that are off or too tight. */
export function healthWarning(disabled: unknown, period: number): Finding | undefined {
  if (disabled === true) {
    return warning('health checks are off, so nothing replaces a game that hangs', 'set spec.health.disabled to false')
  }
  if (period >= 2) return undefined
  const text = `a beat must come every ${period} s, which a short pause misses`
  return warning(text, 'set spec.health.periodSeconds to 2 or more')
}
