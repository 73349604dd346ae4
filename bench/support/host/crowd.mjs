/** Controls a process of players, and measures the servers meanwhile. */
import { end, start } from '../processes.mjs'
import { mapValues } from './host-process.mjs'
import { memoryOf, secondsOf } from './figures.mjs'

/** A process of players. */
export async function startPlayers() {
  const { child } = await start('host/players.mjs')
  return {
    end: () => end(child),
    /** Resolves with the players' results, and with % of a core and MB for each group of processes. */
    run: (order, groups = {}) =>
      new Promise((resolve, reject) => {
        let before
        let began
        let used
        const fail = (code) => reject(new Error(`The players' process has ended with ${code}`))
        child.once('exit', fail)
        const listen = (message) => {
          if (message === 'begin') {
            before = mapValues(groups, secondsOf)
            began = performance.now()
          } else if (message === 'end') {
            const ms = performance.now() - began
            used = mapValues(groups, (pids, name) => ({
              cpu: ((secondsOf(pids) - before[name]) / ms) * 1e5,
              mb: memoryOf(pids).pss / 1e6,
            }))
          } else {
            child.off('exit', fail)
            child.off('message', listen)
            if (message.error === undefined) resolve({ ...message.result, used })
            else reject(new Error(message.error))
          }
        }
        child.on('message', listen)
        child.send(order)
      }),
  }
}

/** The plain server with which the host is compared. */
export async function startEcho() {
  const { child, message } = await start('host/echo-server.mjs')
  return { port: message.port, pids: () => ({ server: [child.pid] }), end: () => end(child) }
}
