//! Candle.
