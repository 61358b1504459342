"""Answering what people ask in comments and reviews: who asks and where, the reactions, the one reply, decisions."""

from __future__ import annotations

from bot.answering.deciding import decide
from bot.answering.looking import Thread, look
from bot.answering.replying import react, refuse, reply
from bot.answering.standing import standing
from bot.answering.stopping import stop

__all__ = ["Thread", "decide", "look", "react", "refuse", "reply", "standing", "stop"]
