// Which message a reply is. Whether it stands in a BatchReply is not its own to know: that is the stream's.
// How each is written is PackedReply's.
namespace Pile.Server.Packed;

/// <summary>Forms of replies that are written by hand.</summary>
internal enum ReplyForm
{
    /// <summary>GetReply.</summary>
    Value,

    /// <summary>SetReply or RemoveReply: one outcome.</summary>
    Outcome,

    /// <summary>ValueBatch.</summary>
    Values,

    /// <summary>OutcomeBatch.</summary>
    Outcomes,
}
