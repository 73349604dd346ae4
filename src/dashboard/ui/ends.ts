import type { ControlCommand } from '../../sidecar/index.js'
import type { Ui } from './ui.js'

/** A command that cuts a running game off, with the sentence that says what it does. */
export interface End {
  readonly id: string
  readonly label: string
  readonly key?: string
  readonly what: string
  /** Told when it is done. */
  readonly done: string
  readonly command: ControlCommand
}

export const ends: readonly End[] = [
  {
    id: 'terminate',
    label: 'Terminate',
    key: 'x',
    what: 'Deletes the GameServer, as an eviction does: a game under the sidecar gets SIGTERM, and 30 s later it is gone.',
    done: 'It is being deleted',
    command: { type: 'terminate' },
  },
  {
    id: 'fresh',
    label: 'Fresh',
    key: 'f',
    what: 'Puts a new GameServer in the place of this one at once, as a Fleet does after an end.',
    done: 'A fresh GameServer',
    command: { type: 'restart', fresh: true },
  },
  {
    id: 'restart',
    label: 'Restart',
    what: 'Restarts the sidecar alone: every connection is cut, and the GameServer stays.',
    done: 'The sidecar restarts',
    command: { type: 'restart' },
  },
]

/** Asks before one of them is run. */
export function askFirst(ui: Ui, { label, what }: Pick<End, 'label' | 'what'>, run: () => void): void {
  ui.confirmation.value = { question: what, action: label, run }
}

/** States that end a game server. */
export const endStates: Readonly<Record<string, string>> = {
  Shutdown: 'Shut the game server down?',
  Unhealthy: 'Make it Unhealthy? That ends the game server.',
}
