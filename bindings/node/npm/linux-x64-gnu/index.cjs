module.exports = require('./sealstone.linux-x64-gnu.node')
