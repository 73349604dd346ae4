import type { SidecarClient } from '../../src/index.js'

/** Options that `createClient` refuses, and what its message must name: the option, and the value or group. */
export const wrongOptions: readonly (readonly [what: string, options: unknown, ...named: string[]])[] = [
  ['a text', 'http://127.0.0.1:9358', '9358'],
  ['a number', 9358, '9358'],
  ['true', true, 'true'],
  ['a retry that is true', { retry: true }, 'retry', 'true'],
  ['limits that are text', { limits: 'none' }, 'limits', 'none'],
  ['an autoHealth that is text', { autoHealth: 'yes' }, 'autoHealth', 'yes'],
  ['a platform with a space', { platform: 'x y' }, 'platform', 'x y'],
  ['a platform with a capital letter', { platform: 'X' }, 'platform', 'X'],
  ['an option that does not exist', { xyz: 1 }, 'xyz'],
]

/** Misspelt options, and the name that was meant. */
export const misspeltOptions: readonly (readonly [options: object, given: string, meant: string])[] = [
  [{ autohealth: true }, 'autohealth', 'autoHealth'],
  [{ autoheath: true }, 'autoheath', 'autoHealth'],
  [{ baseURL: '9358' }, 'baseURL', 'baseUrl'],
  [{ websocket: class {} }, 'websocket', 'WebSocket'],
  [{ verifyIntervall: 1 }, 'verifyIntervall', 'verifyInterval'],
  [{ processSignal: true }, 'processSignal', 'processSignals'],
  [{ autoHealth: { chekc: () => true } }, 'chekc', 'check'],
  [{ autoHealth: { intervall: 1000 } }, 'intervall', 'interval'],
  [{ retry: { timeOut: 1 } }, 'timeOut', 'timeout'],
  [{ retry: { initalDelay: 1 } }, 'initalDelay', 'initialDelay'],
  [{ limits: { mesage: 1 } }, 'mesage', 'message'],
]

type Attempt = (client: SidecarClient) => unknown
const any = (value: unknown): never => value as never
const first = async (client: SidecarClient, options: object): Promise<unknown> =>
  client.watchGameServer(options)[Symbol.asyncIterator]().next()

/** Arguments that a method refuses, and the argument or name that its message must name. */
export const wrongArguments: readonly (readonly [operation: string, what: string, named: string, call: Attempt])[] = [
  ['setLabel', 'an empty key', 'key', (c) => c.setLabel('', 'v')],
  ['setLabel', 'a key with a slash', 'key', (c) => c.setLabel('a/b', 'v')],
  ['setLabel', 'a key of 60 characters', 'key', (c) => c.setLabel('k'.repeat(60), 'v')],
  ['setLabel', 'a key that ends with a dash', 'key', (c) => c.setLabel('a-', 'v')],
  ['setLabel', 'a key with an umlaut', 'key', (c) => c.setLabel('ä', 'v')],
  ['setLabel', 'a key that is a number', 'key', (c) => c.setLabel(any(1), 'v')],
  ['setLabel', 'a value with a space', 'value', (c) => c.setLabel('a', 'b c')],
  ['setLabel', 'a value of 64 characters', 'value', (c) => c.setLabel('a', 'v'.repeat(64))],
  ['setLabel', 'a value that is a number', 'value', (c) => c.setLabel('a', any(1))],
  ['setAnnotation', 'a key of 60 characters', 'key', (c) => c.setAnnotation('k'.repeat(60), 'v')],
  ['setAnnotation', 'a value that is a number', 'value', (c) => c.setAnnotation('a', any(1))],
  ['reserve', 'half a second', 'seconds', (c) => c.reserve(0.5)],
  ['reserve', 'seconds as a word', 'seconds', (c) => c.reserve('ten')],
  ['reserve', 'no seconds', 'seconds', (c) => c.reserve(any(undefined))],
  ['getCounter', 'an empty name', 'key', (c) => c.getCounter('')],
  ['getCounter', 'a name with a slash', 'key', (c) => c.getCounter('a/b')],
  ['getCounter', 'a name of two dots', 'key', (c) => c.getCounter('..')],
  ['getCounter', 'half a surrogate pair', 'key', (c) => c.getCounter('\ud800')],
  ['getCounter', 'a symbol', 'key', (c) => c.getCounter(any(Symbol('x')))],
  ['getList', 'a name of one dot', 'key', (c) => c.getList('.')],
  ['removeListValue', 'a name of null', 'key', (c) => c.removeListValue(any(null), 'v')],
  ['updateCounter', 'an empty update', 'update', (c) => c.updateCounter('a', {})],
  ['updateCounter', 'no update', 'update', (c) => c.updateCounter('a', any(undefined))],
  ['updateCounter', 'a fraction', 'count', (c) => c.updateCounter('a', { count: 1.5 })],
  ['updateCounter', 'an inexact number', 'count', (c) => c.updateCounter('a', { count: 2 ** 53 })],
  ['updateCounter', 'NaN', 'countDiff', (c) => c.updateCounter('a', { countDiff: NaN })],
  [
    'updateCounter',
    'an object without a prototype',
    'capacity',
    (c) => c.updateCounter('a', { capacity: any(Object.create(null)) }),
  ],
  ['updateList', 'an empty update', 'update', (c) => c.updateList('a', {})],
  ['updateList', 'values that are numbers', 'values', (c) => c.updateList('a', { values: [any(1)] })],
  ['updateList', 'values that are text', 'values', (c) => c.updateList('a', { values: any('ab') })],
  ['addListValue', 'no value', 'value', (c) => c.addListValue('a', any(undefined))],
  ['waitFor', 'a state of a newer platform', 'Draining', (c) => c.waitFor('Draining')],
  ['waitFor', 'no state', 'undefined', (c) => c.waitFor(any(undefined))],
  ['once', 'an event that does not exist', 'xyz', (c) => c.once(any('xyz'))],
  ['on', 'an event that does not exist', 'xyz', async (c) => c.on(any('xyz'), () => {})],
  ['on', 'no listener', 'listener', async (c) => c.on('state', any(undefined))],
  ['watchGameServer', 'options that are a number', '7', (c) => first(c, any(7))],
]

/** Misspelt names in a call, and the name that was meant. */
export const misspeltNames: readonly (readonly [operation: string, given: string, meant: string, call: Attempt])[] = [
  ['ready', 'confrim', 'confirm', (c) => c.ready(any({ confrim: true }))],
  ['reserve', 'singal', 'signal', (c) => c.reserve(1, any({ singal: 5 }))],
  ['health', 'timeOut', 'timeout', (c) => c.health(any({ timeOut: 5 }))],
  ['watchGameServer', 'overflo', 'overflow', (c) => first(c, { overflo: 'fail' })],
  ['updateCounter', 'capcity', 'capacity', (c) => c.updateCounter('a', any({ count: 1, capcity: 5 }))],
  ['updateCounter', 'countdiff', 'countDiff', (c) => c.updateCounter('a', any({ countdiff: 1 }))],
  ['updateList', 'vlaues', 'values', (c) => c.updateList('a', any({ vlaues: [] }))],
  ['on', 'gameServer', 'gameserver', async (c) => c.on(any('gameServer'), () => {})],
  ['on', 'labels', 'label', async (c) => c.on(any('labels'), () => {})],
  ['once', 'erorr', 'error', (c) => c.once(any('erorr'))],
  ['waitFor', 'Alocated', 'Allocated', (c) => c.waitFor(any('Alocated'))],
  ['waitFor', 'ready', 'Ready', (c) => c.waitFor(any('ready'))],
]
