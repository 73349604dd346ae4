/**
 * Every operation of the sidecar, in an order in which a game might use them, and the watch. The language is ES2017
 * and nothing beyond it is used: script VMs run this file as a classic script, without its `export`.
 */
export async function allOperations(client) {
  const states = []
  client.on('state', (event) => {
    states.push(event.state)
  })
  const {
    object_meta: { name },
  } = await client.connect()
  await client.health()
  await client.ready({ confirm: true })
  await client.setLabel('map', 'arena', { confirm: true })
  await client.setAnnotation('motd', 'Grüße 🎮', { confirm: true })

  const rooms = [await client.getCounter('rooms')]
  rooms.push(await client.updateCounter('rooms', { count: 3, capacity: 20 }))
  rooms.push(await client.updateCounter('rooms', { countDiff: 2 }))
  const players = [await client.getList('players')]
  players.push(await client.addListValue('players', 'bob 🎲'))
  players.push(await client.removeListValue('players', 'ann'))
  players.push(await client.updateList('players', { capacity: 5 }))

  await client.allocate({ confirm: true })
  await client.reserve(30, { confirm: true })
  const read = await client.getGameServer()
  const watch = client.watchGameServer()[Symbol.asyncIterator]()
  const { value: watched } = await watch.next()
  await watch.return()
  const { transport } = client.status
  await client.shutdown({ confirm: true })
  client.close()

  const prefix = 'agones.dev/sdk-'
  return {
    name,
    label: watched.object_meta.labels[prefix + 'map'],
    annotation: watched.object_meta.annotations[prefix + 'motd'],
    rooms: rooms.map(({ count, capacity }) => count + '/' + capacity),
    players: players.map(({ values, capacity }) => values.join() + '/' + capacity),
    read: read.status.state,
    states: states.slice(states.indexOf('Ready')),
    transport,
    connection: client.status.connection,
  }
}
