using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Reflection;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading;
using Pile.Tests.Memory;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Cases 75, 76 and 81 to 85: framework types by name, singletons, lock objects, layouts of bytes.</summary>
public sealed class FrameworkCases
{
    [Theory]
    [ClassData<CasePlans>]
    public void Case075_TypesCulturesRegexAndUri(string plan)
    {
        using var pile = new CasePile(plan);
        object[] values =
        [
            typeof(int), typeof(string), typeof(List<>), typeof(Dictionary<string, CaseTypes.Node[]>), typeof(CaseTypes.Box<>), typeof(int[,]), typeof(CaseTypes), typeof(int?),
            CultureInfo.InvariantCulture, CultureInfo.GetCultureInfo("fr-FR"), CultureInfo.GetCultureInfo("tr-TR").CompareInfo,
            new Regex("a+(?<n>b)", RegexOptions.IgnoreCase | RegexOptions.Multiline, TimeSpan.FromSeconds(3)), new Regex("x", RegexOptions.None), new Regex("y", RegexOptions.Compiled),
            new Uri("http://example.org/a%20b?c=d#e"), new Uri("rel/path", UriKind.Relative), new Uri("file:///tmp/x"),
            Encoding.UTF8, new UTF8Encoding(false, true), Encoding.Unicode, Encoding.ASCII, Encoding.Latin1, IPAddress.Loopback, IPAddress.Parse("fe80::1%3"), TimeZoneInfo.Utc,
            TimeZoneInfo.CreateCustomTimeZone("own", TimeSpan.FromHours(3), "own", "own"), new Version(1, 2, 3, 4), new StringBuilder("text"), JsonSerializer.SerializeToElement(new { a = new[] { 1, 2 } }),
        ];
        pile.Back(values);
        foreach (object value in values)
        {
            pile.Back(value);
            pile.Back(new CaseTypes.Pair { First = value, Second = value });
        }

        Assert.Same(typeof(List<>), pile.Back(new CaseTypes.Box<Type> { Value = typeof(List<>) }).Value);
        pile.Back(new CaseTypes.Box<CultureInfo> { Value = CultureInfo.GetCultureInfo("ja-JP") });
        pile.Back(new CaseTypes.Box<Regex> { Value = new Regex("z") });
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case076_ThereIsOneDBNull(string plan)
    {
        using var pile = new CasePile(plan);
        Assert.Same(DBNull.Value, pile.Back<object>(DBNull.Value));
        object[] got = pile.Back(new object[] { DBNull.Value, DBNull.Value, Missing.Value });
        Assert.Same(DBNull.Value, got[1]);
        Assert.Same(Missing.Value, got[2]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case081_APlainObjectUsedAsALock(string plan)
    {
        using var pile = new CasePile(plan);
        object gate = new();
        object[] got;
        lock (gate)
        {
            // Held while it is put: the copy is free.
            got = pile.Back(new object[] { gate, gate, new CaseTypes.Pair { First = gate } });
        }

        Assert.Same(got[0], got[1]);
        Assert.Same(got[0], ((CaseTypes.Pair)got[2]).First);
        Assert.Equal(typeof(object), got[0].GetType());
        Assert.False(Monitor.IsEntered(got[0]));
        var slim = new Lock();
        using (slim.EnterScope())
        {
            CaseTypes.Twin<Lock, Lock> locks = pile.Back(new CaseTypes.Twin<Lock, Lock> { First = slim, Second = slim });
            Assert.True(locks.First == locks.Second && !locks.First.IsHeldByCurrentThread);
        }
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case082_InlineArrays(string plan)
    {
        using var pile = new CasePile(plan);
        var layouts = new CaseTypes.Layouts();
        layouts.Ints[0] = 1;
        layouts.Ints[3] = -4;
        layouts.Texts[0] = "first";
        layouts.Texts[2] = new string('l', 70);
        CaseTypes.Layouts got = pile.Back(layouts);
        Assert.Equal((1, -4, "first", null), (got.Ints[0], got.Ints[3], got.Texts[0], got.Texts[1]));
        pile.Back(layouts.Texts);
        pile.Back(layouts.Ints);
        pile.BackAsObject(layouts.Ints);
        pile.BackAsObject(new[] { layouts.Texts, default });
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case083_AFixedBuffer(string plan)
    {
        using var pile = new CasePile(plan);
        var sample = new FixedBufferSample { Name = "behind" };
        sample[0] = 1;
        sample[4] = -5;
        sample.Inner.After = 7;
        FixedBufferSample got = pile.Back(sample);
        Assert.Equal((1, -5, (short)7, "behind"), (got[0], got[4], got.Inner.After, got.Name));
        pile.BackAsObject(new[] { sample.Inner, default });
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case084_AUnion(string plan)
    {
        using var pile = new CasePile(plan);
        CaseTypes.Layouts got = pile.Back(new CaseTypes.Layouts { Union = new CaseTypes.Union { Bits = 0x7FF0_0000_0000_0001, After = 9 } });
        Assert.Equal((0x7FF0_0000_0000_0001, (short)9), (got.Union.Bits, got.Union.After));
        pile.BackAsObject(new[] { new CaseTypes.Union { Real = 1.5 }, default });
        pile.BackAsObject(new CaseTypes.Union { Real = -0.0 });
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case085_FlagsOverUlong(string plan)
    {
        using var pile = new CasePile(plan);
        foreach (CaseTypes.Wide flags in new[] { CaseTypes.Wide.None, CaseTypes.Wide.One, CaseTypes.Wide.Top, CaseTypes.Wide.Top | CaseTypes.Wide.One, (CaseTypes.Wide)ulong.MaxValue })
        {
            Assert.Equal(flags, pile.Back(new CaseTypes.Layouts { Flags = flags }).Flags);
            Assert.Equal((object)flags, pile.Back(new CaseTypes.Pair { First = flags }).First);
            Assert.Equal(flags, pile.Back(new Dictionary<CaseTypes.Wide, CaseTypes.Wide?> { [flags] = flags }).Keys.Single());
        }
    }
}
