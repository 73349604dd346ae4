/** The arena's physics, as Phaser bodies, without network, sidecar or graphics. */
export const SIZE = { width: 960, height: 600 }

const RADIUS = 18
const STARS = 6
const STAR_SIZE = 24
const COLORS = ['#5ad1ff', '#ff8a5a', '#9be564', '#d78bff', '#ffd94a', '#ff6f91', '#4ae3b5', '#b8c4ff']
/** What a player's body can do, in arena units and seconds. */
const BODY = { collideWorldBounds: true, bounceX: 0.7, bounceY: 0.7, maxSpeed: 300, dragX: 700, dragY: 700 }
const PUSH = 1500

/** `onCatch(id)` is called for each star that a player catches. */
export function createArena({ physics, add }, onCatch) {
  const players = new Map()
  const bodies = physics.add.group(BODY)
  const stars = physics.add.staticGroup()

  physics.world.setBounds(0, 0, SIZE.width, SIZE.height)
  for (let i = 0; i < STARS; i += 1) stars.add(add.zone(0, 0, STAR_SIZE, STAR_SIZE))
  stars.getChildren().forEach(place)

  physics.add.collider(bodies, bodies)
  physics.add.overlap(bodies, stars, (zone, star) => {
    place(star)
    onCatch(zone.getData('id'))
  })

  /** Puts a body at a random place, at rest. */
  function place(zone) {
    const anywhere = (length) => 2 * RADIUS + Math.random() * (length - 4 * RADIUS)
    zone.body.reset(anywhere(SIZE.width), anywhere(SIZE.height))
  }

  function freeColor() {
    const used = [...players.values()].map(({ color }) => color)
    return COLORS.find((color) => !used.includes(color)) ?? COLORS[0]
  }

  return {
    join(id, name) {
      const zone = add.zone(0, 0, 2 * RADIUS, 2 * RADIUS).setData('id', id)
      bodies.add(zone)
      zone.body.setCircle(RADIUS)
      place(zone)
      players.set(id, { id, name, color: freeColor(), zone })
    },

    leave(id) {
      players.get(id).zone.destroy()
      players.delete(id)
    },

    /** The direction in which a player pushes. Lengths above 1 count as 1. */
    steer(id, x, y) {
      const strength = PUSH / Math.max(1, Math.hypot(x, y))
      players.get(id)?.zone.body.setAcceleration(x * strength, y * strength)
    },

    /** One sixtieth of a second of physics. */
    step: () => physics.world.singleStep(),

    /** All positions for players, rounded, since they are sent 30 times a second. */
    view: () => ({
      players: [...players.values()].map(({ zone, ...player }) => ({ ...player, ...placeOf(zone) })),
      stars: stars.getChildren().map(placeOf),
    }),
  }
}

const placeOf = ({ x, y }) => ({ x: Math.round(x), y: Math.round(y) })
