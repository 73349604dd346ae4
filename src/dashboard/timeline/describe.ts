import type { Call, Change, ControlCommand, LogEntry } from '../../sidecar/index.js'

/** An entry in words: its name, such as the operation, and what else there is to say of it in a row. */
export interface Description {
  readonly name: string
  readonly details: string
}

export function describe({ event, problem }: LogEntry): Description {
  switch (event.type) {
    case 'call':
      return { name: event.call.operation, details: argumentsOf(event.call) }
    case 'refused':
      return { name: `${event.method} ${event.path}`, details: event.message }
    case 'control':
      // A manifest of an allocation that was refused would fill the row and hide the reason.
      if (problem !== undefined) return { name: event.command.type, details: refusalOf(event.command, problem) }
      return { name: event.command.type, details: fieldsOf(event.command) }
    case 'watch-opened':
      return { name: `watch #${event.id} opened`, details: event.transport }
    case 'watch-closed':
      return { name: `watch #${event.id} ended`, details: event.reason }
    case 'shown':
      return { name: 'recording', details: '' }
    case 'tick':
      return { name: 'time', details: '' }
  }
}

function argumentsOf(call: Call): string {
  switch (call.operation) {
    case 'health':
      return call.beats === 1 ? '' : `${call.beats} beats`
    case 'reserve':
      return `${call.seconds} s`
    case 'setLabel':
    case 'setAnnotation':
      return `${call.key} = ${call.value}`
    case 'getCounter':
    case 'getList':
      return call.key
    case 'updateCounter':
      return [call.key, signed(call.countDiff), is('count', call.count), is('capacity', call.capacity)]
        .filter(Boolean)
        .join(' ')
    case 'updateList':
      return [
        call.key,
        call.mask.includes('capacity') ? is('capacity', call.capacity) : '',
        call.mask.includes('values') ? `values ${call.values.join(', ')}` : '',
      ]
        .filter(Boolean)
        .join(' ')
    case 'addListValue':
      return `${call.key} + ${call.value}`
    case 'removeListValue':
      return `${call.key} − ${call.value}`
    default:
      return ''
  }
}

const refusalOf = ({ type }: ControlCommand, problem: string): string =>
  type === 'allocate' ? `not allocated: ${problem}` : problem

const is = (name: string, value: string | undefined): string => (value === undefined ? '' : `${name} ${value}`)

const signed = (difference: string): string => (/^0?$/.test(difference) ? '' : difference.replace(/^(?!-)/, '+'))

function fieldsOf(command: ControlCommand): string {
  const { type: _, ...fields } = command
  return Object.entries(fields)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
    .slice(0, 300)
}

/** A change as it fits into a row. */
export function describeChange(change: Change): string {
  switch (change.type) {
    case 'state':
      return `state ${change.previous} → ${change.value}`
    case 'label':
    case 'annotation':
      return change.value === undefined
        ? `${change.type} ${change.key} removed`
        : `${change.type} ${change.key} = ${change.value}`
    case 'counter':
      return `${change.name} ${change.count} of ${change.capacity}`
    case 'list': {
      const values = [...change.added.map((value) => `+${value}`), ...change.removed.map((value) => `−${value}`)]
      return `${change.name} ${values.length > 0 ? values.join(' ') : `capacity ${change.capacity}`}`
    }
    case 'deletion':
      return 'being deleted'
    case 'gone':
      return 'GameServer is gone'
    case 'replaced':
      return 'GameServer was replaced'
  }
}
