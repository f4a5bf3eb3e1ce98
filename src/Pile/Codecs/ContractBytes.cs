// Whether bytes that a contract could not read are damaged: whole MessagePack of another form is what another contract wrote,
// as one whose member had another type then. It does not tell which one.
using System;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Judges bytes that are not of a contract.</summary>
internal static class ContractBytes
{
    /// <summary>Whether they are one whole MessagePack value, its texts included.</summary>
    internal static bool AreWhole(ReadOnlySpan<byte> payload)
    {
        try
        {
            var reader = new WireReader(payload);

            // Elements still to come.
            for (long left = 1; left > 0; left--)
            {
                byte code = reader.Peek();
                switch (WireTypes.Of(code))
                {
                    case WireType.Array:
                        left += reader.ReadArrayHeader();
                        break;
                    case WireType.Map:
                        left += 2L * reader.ReadMapHeader();
                        break;
                    case WireType.Text:
                        _ = reader.ReadText();
                        break;
                    case WireType.Nil when code != WireCode.Nil:
                        // The one code that MessagePack never uses.
                        return false;
                    default:
                        reader.Skip();
                        break;
                }
            }

            return reader.Remaining == 0;
        }
        catch (PileCorruptedException)
        {
            return false;
        }
    }

    /// <summary>The exception for bytes of another form.</summary>
    /// <param name="type">The contract's type.</param>
    /// <param name="member">The member at which it was noticed, or null.</param>
    /// <param name="other">What reading threw.</param>
    internal static PileTypeMismatchException Mismatch(Type type, string? member, PileCorruptedException other) => new(
        $"What is stored does not fit the contract of {TypeName.Display(type)}{(member is null ? "" : $" at {member}")}: {other.Message.Replace(Throw.DamagedValue, "", StringComparison.Ordinal)} The bytes are whole: they are of another contract, or the member had another type when they were written. Give it that type again, or leave that Order free and give the member of today another; a lease has the bytes.",
        inner: other);
}
