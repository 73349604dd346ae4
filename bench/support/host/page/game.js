/* global Phaser, location, step -- of the page */
/** 50 bodies that bounce off each other, without a picture. `?webgl` draws them. */
const BODIES = 50
const SIZE = 800
const draws = location.search === '?webgl'

class Arena extends Phaser.Scene {
  create() {
    const bodies = this.physics.add.group({ bounceX: 1, bounceY: 1, collideWorldBounds: true })
    for (let i = 0; i < BODIES; i++) {
      const x = Phaser.Math.Between(20, SIZE - 20)
      const y = Phaser.Math.Between(20, SIZE - 20)
      const body = draws
        ? this.add.rectangle(x, y, 16, 16, 0xffffff)
        : this.add.existing(new Phaser.GameObjects.Zone(this, x, y, 16, 16))
      bodies.add(body)
      body.body.setVelocity(Phaser.Math.Between(-200, 200), Phaser.Math.Between(-200, 200))
    }
    this.physics.add.collider(bodies, bodies)
  }

  update() {
    step()
  }
}

new Phaser.Game({
  type: draws ? Phaser.WEBGL : Phaser.HEADLESS,
  width: SIZE,
  height: SIZE,
  banner: false,
  audio: { noAudio: true },
  physics: { default: 'arcade' },
  scene: Arena,
})
