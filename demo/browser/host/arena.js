/** The arena and all that is in it: Phaser's bodies. It knows nothing of networks and sidecars. */
export const SIZE = { width: 960, height: 600 }

const GRID = 60
const RADIUS = 18
const STARS = 6
const COLORS = [0x5ad1ff, 0xff8a5a, 0x9be564, 0xd78bff, 0xffd94a, 0xff6f91, 0x4ae3b5, 0xb8c4ff]
const LABEL = { fontFamily: 'system-ui, sans-serif', fontSize: '17px', fontStyle: '600', color: '#e8edf9' }
/** What a player's body can do, in arena units and seconds. */
const BODY = { collideWorldBounds: true, bounceX: 0.7, bounceY: 0.7, maxSpeed: 300, dragX: 700, dragY: 700 }
const PUSH = 1500

/** `onCatch(id)` is told of each star that a player has caught. */
export function createArena(scene, onCatch) {
  const { physics, add } = scene
  const players = new Map()
  const bodies = physics.add.group(BODY)
  const stars = physics.add.staticGroup()

  drawGrid(add.graphics())
  physics.world.setBounds(0, 0, SIZE.width, SIZE.height)
  for (let i = 0; i < STARS; i += 1) stars.add(add.star(0, 0, 5, 5, 12, 0xffe27a))
  stars.getChildren().forEach(place)

  physics.add.collider(bodies, bodies)
  physics.add.overlap(bodies, stars, (body, star) => {
    place(star)
    const player = players.get(body.name)
    player.ring.setPosition(body.x, body.y).setScale(1).setAlpha(1)
    onCatch(player.id)
  })

  /** Puts a body anywhere, at rest. */
  function place(object) {
    const anywhere = (length) => 2 * RADIUS + Math.random() * (length - 4 * RADIUS)
    object.body.reset(anywhere(SIZE.width), anywhere(SIZE.height))
  }

  function freeColor() {
    const used = [...players.values()].map(({ color }) => color)
    return COLORS.find((color) => !used.includes(color)) ?? COLORS[0]
  }

  return {
    join(id, name) {
      const color = freeColor()
      const shape = add.circle(0, 0, RADIUS, color).setName(id)
      const ring = add.circle(0, 0, RADIUS).setStrokeStyle(3, color).setAlpha(0)
      const label = add.text(0, 0, name, LABEL).setOrigin(0.5).setDepth(1)
      bodies.add(shape)
      shape.body.setCircle(RADIUS)
      place(shape)
      players.set(id, { id, name, color, shape, ring, label })
    },

    leave(id) {
      const { shape, ring, label } = players.get(id)
      players.delete(id)
      for (const object of [shape, ring, label]) object.destroy()
    },

    /** Where a player pushes to; longer than 1 is as strong as 1. */
    steer(id, x, y) {
      const strength = PUSH / Math.max(1, Math.hypot(x, y))
      players.get(id)?.shape.body.setAcceleration(x * strength, y * strength)
    },

    /** One sixtieth of a second of physics. */
    step: () => physics.world.singleStep(),

    /** For each picture on this page: what only decorates follows the bodies. */
    draw() {
      for (const { shape, ring, label } of players.values()) {
        const x = Phaser.Math.Clamp(shape.x, label.width / 2, SIZE.width - label.width / 2)
        label.setPosition(x, shape.y < 50 ? shape.y + 32 : shape.y - 32)
        if (ring.alpha > 0) ring.setScale(ring.scale + 0.06).setAlpha(Math.max(0, ring.alpha - 0.04))
      }
    },

    /** What players see: the place of everything, rounded, since it is sent 30 times a second. */
    view: () => ({
      players: [...players.values()].map(({ id, name, color, shape: { x, y } }) => ({
        id,
        name,
        color: cssColor(color),
        x: Math.round(x),
        y: Math.round(y),
      })),
      stars: stars.getChildren().map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) })),
    }),
  }
}

const cssColor = (color) => `#${color.toString(16).padStart(6, '0')}`

function drawGrid(graphics) {
  graphics.lineStyle(1, 0x1b2640)
  for (let x = GRID; x < SIZE.width; x += GRID) graphics.lineBetween(x, 0, x, SIZE.height)
  for (let y = GRID; y < SIZE.height; y += GRID) graphics.lineBetween(0, y, SIZE.width, y)
}
