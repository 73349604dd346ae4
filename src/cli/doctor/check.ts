import type { Fields, Subject } from './subject.js'

export type Group = 'Environment' | 'Reach' | 'Watch' | 'GameServer' | 'File'

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

type Found = Finding | readonly Finding[]

export interface Check {
  /** For `--json`. */
  readonly id: string
  readonly group: Group
  readonly run: (subject: Subject) => Found | Promise<Found>
}

/** A check that is skipped where there is no GameServer. */
export const whenThere =
  (run: (gameServer: Fields, subject: Subject) => Finding | Promise<Finding>): Check['run'] =>
  async (subject) => {
    const found = await subject.gameServer()
    return found === undefined ? skipped('there is no GameServer') : run(found, subject)
  }
