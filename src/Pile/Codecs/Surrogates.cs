// Framework types kept by name, text or number, because their fields are caches, handles or private to one version.
// Each is made again by its public constructor or factory.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Net;
using System.Reflection;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading;

namespace Pile.Codecs;

/// <summary>Plans of framework types by parts.</summary>
internal static class Surrogates
{
    /// <summary>The raw text of an element has what its own parser let pass, and is as deep as it was.</summary>
    private static readonly JsonDocumentOptions _json = new() { MaxDepth = int.MaxValue, CommentHandling = JsonCommentHandling.Skip, AllowTrailingCommas = true };

    /// <summary>By the type that they stand for.</summary>
    internal static Dictionary<Type, Func<Plan>> All { get; } = new()
    {
        [typeof(Type)] = OfType,
        [typeof(CultureInfo)] = static () => ByName<CultureInfo>(static v => v.Name, static name => CultureInfo.GetCultureInfo(name)),
        [typeof(CompareInfo)] = static () => ByName<CompareInfo>(static v => v.Name, static name => CompareInfo.GetCompareInfo(name)),
        [typeof(TimeZoneInfo)] = static () => ByName<TimeZoneInfo>(TimeZones.TextOf, TimeZones.Of),
        [typeof(StringBuilder)] = static () => ByName<StringBuilder>(static v => v.ToString(), static text => new StringBuilder(text)),
        [typeof(Encoding)] = OfEncoding,
        [typeof(Uri)] = OfUri,
        [typeof(Regex)] = OfRegex,
        [typeof(IPAddress)] = OfAddress,
        [typeof(BitArray)] = OfBits,
        [typeof(MemoryStream)] = OfStream,
        [typeof(JsonElement)] = OfJson,
        [typeof(StringComparer)] = Comparers.StringComparers,
        [typeof(ReferenceEqualityComparer)] = static () => Single(ReferenceEqualityComparer.Instance),
        [typeof(DBNull)] = static () => Single(DBNull.Value),
        [typeof(Missing)] = static () => Single(Missing.Value),
        [typeof(Lock)] = static () => new PartsPlan<Lock>([], static (_, _) => { }, static (ref _) => new Lock()),
    };

    private static PartsPlan<T> ByName<T>(Func<T, string> name, Func<string, T> make)
        where T : class => new([Part.Of<string>("text")], (w, v) => w.WriteString(name(v)), (ref r) => make(r.ReadString() ?? throw new FormatException("the text is nil")));

    private static PartsPlan<T> Single<T>(T instance)
        where T : class => new([], static (_, _) => { }, (ref _) => instance);

    private static PartsPlan<Type> OfType() => new(
        [Part.Of<string>("name")],
        static (w, type) =>
        {
            if (!HasName(type))
            {
                throw Refuse.AType(typeof(Type), type, $"{type} is a pointer or a type parameter, or has one, and so no name to be found by");
            }

            Refuse.Name(type, type);
            w.Table.Known.Admit(type);
            w.WriteString(TypeName.Of(type, asDefinition: type.IsGenericTypeDefinition));
        },
        static (ref r) => r.Table.Resolve(r.ReadString() ?? throw new FormatException("the name is nil")));

    /// <summary>Whether a type is found again by its name: it is a definition, or made of types without pointers and parameters.</summary>
    private static bool HasName(Type type) => type.IsGenericTypeDefinition
        || (!type.ContainsGenericParameters && !type.IsPointer && !type.IsByRef && !type.IsFunctionPointer
            && (!type.HasElementType || HasName(type.GetElementType()!)) && Array.TrueForAll(type.GetGenericArguments(), HasName));

    private static PartsPlan<Encoding> OfEncoding() => new(
        [Part.Of<int>("codePage"), Part.Of<bool>("preamble"), Part.Of<bool>("throws")],
        static (w, encoding) =>
        {
            bool preamble = encoding.Preamble.Length > 0;
            bool throws = encoding.DecoderFallback == DecoderFallback.ExceptionFallback;
            if (!IsMade(encoding, preamble, throws))
            {
                throw Refuse.AType(typeof(Encoding), encoding, "its code page does not tell all of it, or leads to none in this program");
            }

            w.WriteInt32(encoding.CodePage);
            w.WriteBool(preamble);
            w.WriteBool(throws);
        },
        static (ref r) => MakeEncoding(r.Wire.ReadInt32(), r.Wire.ReadBool(), r.Wire.ReadBool()));

    /// <summary>Whether an encoding is what its parts make: others have a fallback of their own, or come from where nobody looks.</summary>
    private static bool IsMade(Encoding encoding, bool preamble, bool throws)
    {
        try
        {
            return MakeEncoding(encoding.CodePage, preamble, throws).Equals(encoding);
        }
        catch (Exception failure) when (failure is NotSupportedException or ArgumentException)
        {
            return false;
        }
    }

    private static Encoding MakeEncoding(int page, bool preamble, bool throws) => page switch
    {
        65001 => new UTF8Encoding(preamble, throws),
        1200 or 1201 => new UnicodeEncoding(page == 1201, preamble, throws),
        12000 or 12001 => new UTF32Encoding(page == 12001, preamble, throws),
        _ => throws ? Encoding.GetEncoding(page, EncoderFallback.ExceptionFallback, DecoderFallback.ExceptionFallback) : Encoding.GetEncoding(page),
    };

    private static PartsPlan<Uri> OfUri() => new(
        [Part.Of<string>("text"), Part.Of<bool>("absolute")],
        static (w, uri) =>
        {
            w.WriteString(uri.OriginalString);
            w.WriteBool(uri.IsAbsoluteUri);
        },
        static (ref r) =>
        {
            string text = r.ReadString() ?? throw new FormatException("the text is nil");
            return new Uri(text, r.Wire.ReadBool() ? UriKind.Absolute : UriKind.Relative);
        });

    private static PartsPlan<Regex> OfRegex() => new(
        [Part.Of<string>("pattern"), Part.Of<int>("options"), Part.Of<long>("timeout")],
        static (w, regex) =>
        {
            w.WriteString(regex.ToString());
            w.WriteInt32((int)regex.Options);
            w.WriteInt64(regex.MatchTimeout.Ticks);
        },
        static (ref r) =>
        {
            string pattern = r.ReadString() ?? throw new FormatException("the pattern is nil");
            var options = (RegexOptions)r.Wire.ReadInt32();
            return new Regex(pattern, options, new TimeSpan(r.Wire.ReadInt64()));
        });

    private static PartsPlan<IPAddress> OfAddress() => new(
        [Part.Of<string>("text")],
        static (w, address) => w.WriteString(address.ToString()),
        static (ref r) => IPAddress.Parse(r.ReadString() ?? throw new FormatException("the address is nil")));

    private static PartsPlan<BitArray> OfBits() => new(
        [Part.Of<int>("length"), Part.Of<byte[]>("bits")],
        static (w, bits) =>
        {
            byte[] bytes = new byte[(bits.Length + 7) / 8];
            bits.CopyTo(bytes, 0);
            w.WriteInt32(bits.Length);
            w.WriteBinary(bytes);
        },
        static (ref r) =>
        {
            int length = r.Wire.ReadInt32();
            ReadOnlySpan<byte> bytes = r.Wire.ReadBinary();
            if (length < 0 || bytes.Length != (length + 7L) / 8)
            {
                throw new FormatException($"{bytes.Length} bytes do not hold {length} bits");
            }

            r.Context.Charge(bytes.Length * 2L, r.Wire.Position);
            return new BitArray(bytes.ToArray()) { Length = length };
        });

    private static PartsPlan<MemoryStream> OfStream() => new(
        [Part.Of<byte[]>("bytes"), Part.Of<long>("position"), Part.Of<bool>("writable")],
        static (w, stream) =>
        {
            if (!stream.CanRead)
            {
                throw Refuse.AType(typeof(Stream), stream);
            }

            w.WriteBinary(stream.ToArray());
            w.WriteInt64(stream.Position);
            w.WriteBool(stream.CanWrite);
        },
        static (ref r) =>
        {
            ReadOnlySpan<byte> bytes = r.Wire.ReadBinary();
            r.Context.Charge(bytes.Length * 2L, r.Wire.Position);
            long position = r.Wire.ReadRange(0, int.MaxValue);
            MemoryStream stream;
            if (r.Wire.ReadBool())
            {
                stream = new MemoryStream(bytes.Length);
                stream.Write(bytes);
            }
            else
            {
                stream = new MemoryStream(bytes.ToArray(), writable: false);
            }

            stream.Position = position;
            return stream;
        });

    private static ValuePartsPlan<JsonElement> OfJson() => new(
        [Part.Of<string>("text")],
        static (w, json) => w.WriteString(json.ValueKind == JsonValueKind.Undefined ? null : json.GetRawText()),
        static (ref r) =>
        {
            if (r.ReadString() is not { } text)
            {
                return default;
            }

            using var document = JsonDocument.Parse(text, _json);
            return document.RootElement.Clone();
        });
}
