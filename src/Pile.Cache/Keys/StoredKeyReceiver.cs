// Takes what a codec writes for a key under which something is to be stored: the schemas of its types are kept before.
// Where there is no room for them it gets nothing.
using Pile.Format;
using Pile.Segments;

namespace Pile.Cache.Keys;

/// <summary>Receives the bytes of such a key.</summary>
internal ref struct StoredKeyReceiver : IPayloadTarget
{
    /// <summary>What has the bytes then.</summary>
    internal KeyReceiver Receiver;

    public PileStatus Accept<TPayload>(RecordCode code, scoped TPayload payload)
        where TPayload : struct, IPayload, allows ref struct => Receiver.Accept(code, payload);
}
